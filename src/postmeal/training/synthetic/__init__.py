"""Made-up people: cohorts, companies and whole data sets."""
