"""The contract, tried by strangers: a client and a verifier that know none of our Python."""
