"""Make ``python -m fastarac`` run the command ``fastarac``."""

from fastarac.cli import main

if __name__ == "__main__":
    main()
