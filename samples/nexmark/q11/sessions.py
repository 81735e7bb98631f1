"""How two parts of a session become one: shared by job.py and job.yaml."""


def joined(one, other):
    """Bids are added; the session reaches from the first to the last of them."""
    bidder, bids, first_bid, last_bid = one
    _, more, first_of_more, last_of_more = other
    return bidder, bids + more, min(first_bid, first_of_more), max(last_bid, last_of_more)
