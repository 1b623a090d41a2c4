"""What all games share: luck, setups, outcomes, facts, codecs and the fold over moves."""
