"""The methods of the chapter and the classical ones, one file each, with what they share."""
