"""Tournament formats: who meets whom, round by round."""
