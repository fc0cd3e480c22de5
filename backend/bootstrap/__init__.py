"""Set-up of a fresh machine, with the standard library alone: `python3 -m bootstrap run|setup|lock`.

checks     what must be there before anything is installed, and one clear line where it is not
request    what was asked for: engine, model, port
host       what this machine is: GPUs, CPU, versions
steps      a step runs once, until what it depends on changes; progress; the lock between two set-ups
packages   the Python side: virtual environment, locked packages, the small model
page       the browser side: npm packages, the built page, a browser for the tests
locks      makes the lock files
"""
