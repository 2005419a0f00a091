"""The methods of docs/theory and the classical methods, one file each, and the code that they share."""
