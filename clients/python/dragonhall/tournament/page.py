"""The report page: one HTML file with its plots inside, so that it opens offline."""

import io
from html import escape

from matplotlib.figure import Figure

from dragonhall.tournament.standings import Summary, deal_scores
from dragonhall.tournament.tables import Table, pairings_table, report_lines, standings_table

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .7rem; border-bottom: 1px solid #ddd; text-align: left }
div.wide { overflow-x: auto }
svg { max-width: 100%; height: auto }
"""
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{style}</style>
{body}
</html>
"""


def report_page(summary: Summary) -> str:
    """Return the page as HTML."""
    plan = summary.plan
    title = f"{plan.game} {plan.edition}".strip()
    names = ", ".join(f"{entrant.name} ({entrant.how})" for entrant in plan.entrants)
    counted = sum(record.counts for record in summary.records)
    parts = [
        f"<h1>Tournament of {escape(title)}</h1>",
        f"<p>{escape(names)}. {plan.deals} deals of seed {plan.seed}, {plan.seats} seats, "
        f"{plan.format}: {counted} of {plan.size} games. Every deal is played once in each "
        "rotation of the players; intervals hold 95 % and rest on differences within deals.</p>",
        "<h2>Players</h2>",
        _table(standings_table(summary.standings)),
        _plot_of_ratings(summary),
        "<h2>Line-ups</h2>",
        _table(pairings_table(summary.pairings)),
        "<h2>How it went</h2>",
        _plot_of_scores(summary),
        "<h2>As text</h2>",
        f"<div class=wide><pre>{escape(chr(10).join(report_lines(summary)))}</pre></div>",
    ]
    return PAGE.format(title=escape(title), style=STYLE, body="\n".join(parts))


def _table(table: Table) -> str:
    heading, rows = table
    head = "".join(f"<th>{escape(cell)}" for cell in heading)
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}" for c in row) for row in rows)
    return f"<div class=wide><table><tr>{head}{body}</table></div>"


def _plot_of_ratings(summary: Summary) -> str:
    rows = summary.standings[::-1]
    figure = Figure(figsize=(8, 0.6 + 0.5 * len(rows)), layout="constrained")
    axes = figure.subplots()
    for place, row in enumerate(rows):
        axes.plot([row.rating.low, row.rating.high], [place, place], color="#4878a8", linewidth=3)
        axes.plot([row.rating.elo], [place], "o", color="#1f3b57")
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.set_xlabel("Elo, with 95 % intervals")
    axes.grid(axis="x", alpha=0.3)
    return _svg(figure)


def _plot_of_scores(summary: Summary) -> str:
    plan = summary.plan
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    axes = figure.subplots()
    for number, entrant in enumerate(plan.entrants):
        games = plan.seats * sum(number in lineup for lineup in plan.lineups())
        scores = [score for _, score in deal_scores(summary.records, entrant.name, games)]
        means = [sum(scores[: n + 1]) / (n + 1) for n in range(len(scores))]
        axes.plot(range(1, len(means) + 1), means, label=entrant.name)
    axes.set(xlabel="deals", ylabel="mean score so far", ylim=(0, 1))
    axes.grid(alpha=0.3)
    axes.legend()
    return _svg(figure)


def _svg(figure: Figure) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
