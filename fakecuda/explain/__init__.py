"""What a person reads: reports, pages, pictures, evidence and the counts of the manual."""
