"""Cases of graphs, which describe work once and launch it many times."""
