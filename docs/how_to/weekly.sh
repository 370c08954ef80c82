#!/bin/sh
# weekly.sh WEEK: divide the week's outputs, watch its audits, and write two pages
week=$1
fastarac apply policy.json week-$week.csv --by field -o accepted-$week.csv --review review-$week.csv --report applied-$week.html
fastarac monitor policy.json audits-$week.csv --by field --state state.json --report monitor-$week.html
