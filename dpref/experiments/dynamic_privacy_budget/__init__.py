"""Experiments of "Dynamic Privacy Budget Allocation" (Hong, Wang, Zhou 2022)."""
