"""Reports as Markdown, for pull requests and step summaries: what GitHub and GitLab draw.

Door: `review.reviews_markdown`, `explanation.explanation_markdown` and `findings.findings_markdown`. `document` has the
pieces that they are made of, and keeps a document below the limit of a comment.
"""
