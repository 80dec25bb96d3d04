"""How programs that know nothing of fakecuda reach a machine: the modules and libraries that they import, load and look up."""
