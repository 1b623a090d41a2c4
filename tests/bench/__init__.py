"""Speed and its peers: `python3 dev.py bench [engine|submit|watch]`. No test asserts seconds."""
