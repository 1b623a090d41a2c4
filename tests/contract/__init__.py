"""What the contract promises to strangers: refusals, secrecy, watches."""
