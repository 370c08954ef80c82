#!/bin/sh
# weekly.sh WEEK: divide the week's outputs, count its audits, and write a page about them
week=$1
fastarac apply policy.json week-$week.csv -o accepted-$week.csv --review review-$week.csv
fastarac monitor policy.json audits-$week.csv --state state.json --report week-$week.html
