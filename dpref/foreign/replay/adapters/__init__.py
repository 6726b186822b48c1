"""How a tape gets into a library's noise; each adapter imports its library when it is used."""
