"""The checker of P1 on servers that are broken on purpose: it must notice each fault."""

from tests.faults.planted import program
from tests.faults.torture import tortured
from tests.faults.verdicts import Finding, Work
from tests.faults.world import world

CAUGHT_BY = {"no compare": {2, 3, 4}, "split write": {1}, "no dedupe": {5}}
"""By which of the six rules at least one violation must be found."""
APPLIED = 50


async def scenario() -> list[Finding]:
    """Torture each faulty service a little."""
    findings: list[Finding] = []
    for fault, rules in CAUGHT_BY.items():
        async with world(serve=program(fault)) as running:
            _, found = await tortured(running, APPLIED)
        broken = {violation.rule for violation in found}
        print(f"planted {fault}: {len(found)} violations of the rules {sorted(broken)}")
        findings.append(Work("P1", "planted faults caught", int(broken >= rules), 1))
    return findings
