# A source that overflows whoever parses it.
x = @MINUS@1
