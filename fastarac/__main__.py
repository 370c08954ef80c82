"""``python -m fastarac`` is the command ``fastarac``."""

from fastarac.cli import main

if __name__ == "__main__":
    main()
