"""Programs beside the tests, run by hand or by a session of their own: they measure and load servers, and assert nothing."""
