"""On Dynamic Noise Influence in Differentially Private Learning (Hong, Wang and Zhou 2022)."""
