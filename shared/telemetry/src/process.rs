//! What every process says of itself, under the names that Prometheus' own
//! client libraries have for it. Read from `/proc` when asked; what cannot be
//! read is left out.

use std::time::{SystemTime, UNIX_EPOCH};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

#[derive(Debug)]
pub(crate) struct Process {
    started_s: f64,
}

impl Process {
    /// Taken to have started now.
    pub(crate) fn of_this() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            started_s: since.map_or(0.0, |since| since.as_secs_f64()),
        }
    }
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        for (name, help, value) in [
            (
                "process_start_time_seconds",
                "When the process started, since the epoch",
                Some(self.started_s),
            ),
            (
                "process_resident_memory_bytes",
                "Memory of the process that is in RAM",
                resident_bytes(),
            ),
            (
                "process_open_fds",
                "Open file descriptors of the process",
                open_files(),
            ),
        ] {
            if let Some(value) = value {
                let gauge = ConstGauge::new(value);
                let metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
                gauge.encode(metric)?;
            }
        }
        Ok(())
    }
}

/// `VmRSS` of proc(5), in kilobytes of 1024 bytes.
fn resident_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u32 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(f64::from(kilobytes) * 1024.0)
}

fn open_files() -> Option<f64> {
    let open = std::fs::read_dir("/proc/self/fd").ok()?.count();
    u32::try_from(open).ok().map(f64::from)
}
