"""Orders of actors, streams and deaths: results and omissions of the search."""
