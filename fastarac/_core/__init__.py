"""What every module stands on: the one door for arrays, sorting, threads, special functions, text."""
