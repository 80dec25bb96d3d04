"""The runtime API's own rules, over the operations of the driver API."""
