"""Stage 7 up to the plan: utterances become messages that fit, each with its delay."""
