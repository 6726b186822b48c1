"""Conversions to and from the data types of other libraries, each imported only when it is used."""
