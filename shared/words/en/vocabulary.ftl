# The closed sets of words: states, executions, groups, signatures, days, regions.

state-FAILED = FAILED
state-OBSERVED_RISK = OBSERVED_RISK
state-UNVERIFIED = UNVERIFIED
state-VERIFIED = VERIFIED

# In dense rows, with their count.
count-FAILED = { $count } failed
count-OBSERVED_RISK = { $count } observed risk
count-UNVERIFIED = { $count } unverified
count-VERIFIED = { $count } verified

execution-completed = completed
execution-errored = errored
execution-skipped = skipped
execution-blocked = blocked

group-reach = Reachability and performance
  .note = Measured, not judged: how slow is too slow depends on your users.
group-proto = Protocol contract
  .note = Does the endpoint speak MCP the way its revision says. Most “the agent suddenly broke” faults live here.
group-sec = Security hygiene
  .note = Basic properties that anyone can see. Not a security scan.
group-drift = Contract change
  .note = A change is judged only against a release that the owner approved. Otherwise it is a recorded fact.

signature-full = Signed, full scope
signature-limited = Signed, as far as the sign-in wall
signature-none = Observed, not signed
signature-pending = Observed, not signed yet
signature-unobserved = Not yet checked
signature-row-full = signed
signature-row-limited = signed to the sign-in wall
signature-row-none = observed, not signed
signature-row-pending = observed, waiting for the signer
signature-row-unobserved = not yet checked

day-answered = answered
day-unanswered = unanswered
day-not_counted = not counted
day-undetermined = undetermined by us
day-before = before first check
day-signed = at least one run of the day is signed

key-pending = pending
key-active = active
key-retired = retired
key-revoked = revoked

# An operator may name other regions; those are shown by their code.
region-local = this machine
region-fra = Frankfurt
region-iad = Ashburn
region-sin = Singapore
region-hkg = Hong Kong
region-gru = São Paulo
region-jnb = Johannesburg
