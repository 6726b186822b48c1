"""Dynamic privacy budget allocation improves data efficiency (Hong, Wang and Zhou 2022)."""
