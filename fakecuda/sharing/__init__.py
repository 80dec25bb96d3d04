"""The old place of the start-up hook; it stays for one release."""
