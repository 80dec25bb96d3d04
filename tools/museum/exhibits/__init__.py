"""The bugs: each module is a row of the gallery with its reports in ``EXHIBITS``."""
