//! What a seed stands for: targets, agents, how often things go wrong by
//! themselves, and a list of operations that go wrong on purpose.

use touchstone_coordinator::targets::Tier;

use super::draw::Draw;

pub(crate) const MINUTE_MS: i64 = 60_000;
pub(crate) const HOUR_MS: i64 = 60 * MINUTE_MS;
pub(crate) const DAY_MS: i64 = 24 * HOUR_MS;
/// How long a story lasts.
pub(crate) const STORY_MS: i64 = 90 * DAY_MS;
/// From then on nothing goes wrong any more, and all must come right.
pub(crate) const QUIET_MS: i64 = 86 * DAY_MS;

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) targets: Vec<TargetPlan>,
    pub(crate) agents: Vec<AgentPlan>,
    pub(crate) rates: Rates,
    /// Missed slots that may wait for the recorder.
    pub(crate) missed_limit: usize,
    pub(crate) ops: Vec<(When, Op)>,
}

#[derive(Clone, Debug)]
pub(crate) struct TargetPlan {
    pub(crate) url: String,
    pub(crate) tier: Tier,
    pub(crate) regions: Vec<String>,
    /// Taken up at the first start of a coordinator from then on.
    pub(crate) from_ms: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct AgentPlan {
    pub(crate) region: String,
    pub(crate) capacity: usize,
}

/// How many times in a thousand.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rates {
    /// A message breaks its connection.
    pub(crate) cut: u64,
    /// A write fails, before or after its commit.
    pub(crate) write_fails: u64,
    /// A write takes seconds.
    pub(crate) write_slow: u64,
    /// The coordinator dies around a write.
    pub(crate) write_kills: u64,
    /// An agent dies during a run.
    pub(crate) run_kills: u64,
    /// A run takes longer than its lease.
    pub(crate) run_hangs: u64,
    /// A host asks to be left alone.
    pub(crate) asks_to_wait: u64,
    /// A target does not answer.
    pub(crate) unanswered: u64,
}

/// When an operation comes: at a time of the story, or so many milliseconds
/// after something happened for the so-manieth time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    At(i64),
    Lease(u32, i64),
    Write(u32, i64),
    Missed(u32, i64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    CrashCoordinator {
        down_ms: i64,
    },
    CrashAgent {
        agent: usize,
        down_ms: i64,
    },
    /// It stands still and knows nothing of it.
    Pause {
        agent: usize,
        for_ms: i64,
    },
    Cut {
        agent: usize,
    },
    Partition {
        agent: usize,
        for_ms: i64,
    },
    StepClock {
        by_ms: i64,
    },
    StoreAway {
        for_ms: i64,
    },
    StoreSlow {
        for_ms: i64,
    },
}

const REGIONS: [&str; 3] = ["fra", "iad", "sin"];

impl Plan {
    pub(crate) fn of(seed: u64) -> Self {
        let mut draw = Draw::new(seed ^ 0x746f_7563_6873_746f);
        let regions = &REGIONS[..=draw.below(REGIONS.len())];
        let targets = targets(&mut draw, regions);
        let mut agents: Vec<AgentPlan> = regions
            .iter()
            .map(|&region| agent(&mut draw, region))
            .collect();
        for _ in 0..draw.below(3) {
            let region = draw.of(regions);
            agents.push(agent(&mut draw, region));
        }
        let rates = rates(&mut draw);
        let missed_limit = draw.of(&[1, 4, 4_096]);
        let count = draw.below(40);
        // About how many runs there are, so that counted things come to happen.
        let runs: i64 = targets
            .iter()
            .map(|target| STORY_MS / target.tier.cadence_ms())
            .sum();
        let runs = usize::try_from(runs).unwrap();
        let ops = (0..count)
            .map(|_| (when(&mut draw, runs), op(&mut draw, agents.len())))
            .collect();
        Self {
            seed,
            targets,
            agents,
            rates,
            missed_limit,
            ops,
        }
    }
}

fn targets(draw: &mut Draw, regions: &[&str]) -> Vec<TargetPlan> {
    // Mostly few and slow, so that many seeds can be played.
    let (count, hosts) = match draw.below(500) {
        0 => (300, 200),
        1..30 => (12 + draw.below(12), 1 + draw.below(6)),
        _ => (1 + draw.below(4), 1 + draw.below(3)),
    };
    let fast = draw.below(60) == 0;
    (0..count)
        .map(|index| {
            let tier = match index {
                0 if fast => Tier::Indie,
                _ => draw.of(&[Tier::Unclaimed, Tier::Free]),
            };
            let first = draw.below(regions.len());
            let turns = 1 + draw.below(regions.len());
            let turns = (0..turns).map(|turn| regions[(first + turn) % regions.len()].to_owned());
            TargetPlan {
                url: format!("https://h{}.example/{index}", draw.below(hosts)),
                tier,
                regions: turns.collect(),
                from_ms: if draw.chance(200) {
                    draw.time(0, QUIET_MS)
                } else {
                    0
                },
            }
        })
        .collect()
}

fn agent(draw: &mut Draw, region: &str) -> AgentPlan {
    AgentPlan {
        region: region.to_owned(),
        capacity: draw.of(&[1, 2, 8]),
    }
}

fn rates(draw: &mut Draw) -> Rates {
    let mut some = |choices: &[u64]| draw.of(choices);
    Rates {
        cut: some(&[0, 0, 2, 20]),
        write_fails: some(&[0, 0, 10, 100]),
        write_slow: some(&[0, 0, 10, 200]),
        write_kills: some(&[0, 0, 2, 20]),
        run_kills: some(&[0, 0, 2, 20]),
        run_hangs: some(&[0, 0, 5, 50]),
        asks_to_wait: some(&[0, 0, 5, 50]),
        unanswered: some(&[0, 10, 100]),
    }
}

fn when(draw: &mut Draw, runs: usize) -> When {
    let count = u32::try_from(draw.below(runs)).unwrap();
    let delay_ms = draw.any_time(40_000);
    match draw.below(5) {
        0 | 1 => When::At(draw.time(0, QUIET_MS)),
        2 => When::Lease(count, delay_ms),
        3 => When::Write(count, delay_ms),
        // Missed slots are few.
        _ => When::Missed(count % 20, delay_ms),
    }
}

fn op(draw: &mut Draw, agents: usize) -> Op {
    let agent = draw.below(agents);
    match draw.below(9) {
        0 => Op::CrashCoordinator {
            down_ms: draw.any_time(4 * DAY_MS),
        },
        1 => Op::CrashAgent {
            agent,
            down_ms: draw.any_time(2 * DAY_MS),
        },
        2 => Op::Pause {
            agent,
            for_ms: draw.any_time(DAY_MS),
        },
        3 => Op::Cut { agent },
        4 => Op::Partition {
            agent,
            for_ms: draw.any_time(DAY_MS),
        },
        5 => {
            let by_ms = draw.any_time(12 * HOUR_MS);
            Op::StepClock {
                by_ms: if draw.chance(500) { by_ms } else { -by_ms },
            }
        }
        6 => Op::StoreSlow {
            for_ms: draw.any_time(DAY_MS),
        },
        _ => Op::StoreAway {
            for_ms: draw.any_time(DAY_MS),
        },
    }
}
