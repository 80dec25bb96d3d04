"""The bugs: a module is a row of the gallery, ``EXHIBITS`` its reports."""
