"""Several engines' readings of the same pages, or fields, put together as those of one."""
