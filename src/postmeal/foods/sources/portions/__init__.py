"""How the portion model is fitted: from published household portions."""
