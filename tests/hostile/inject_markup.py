# Puts markup for every reader into its texts: HTML, Markdown, formulas, terminals, CI commands.
TEXT = "<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) ![](http://127.0.0.1:@PORT@/x)"
TEXT += " =cmd|' /C calc'!A0 \x1b[2J\x1b]0;20/20\x07 ::set-output name=score::20 {{7*7}} ${7*7} \u202e02/02 `x` |x|"
print(TEXT)


def reserved_slots(n_seq, max_len):
    print(TEXT)
    return TEXT


def used_slots(lengths, max_len=None):
    raise ValueError(TEXT)


def paged_slots(lengths, block):
    raise type(TEXT, (Exception,), {})(TEXT)


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
