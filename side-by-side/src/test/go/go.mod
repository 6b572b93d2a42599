module millrace.io/sidebyside

go 1.22
