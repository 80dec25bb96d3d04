"""Reports, pages, pictures, evidence and the counts of the manual, for readers."""
