//! Spans of runs, from the slot that was due to the attestation, in one trace
//! that all processes write to.
//!
//! The trace of a run and its first span have names that follow from the run's
//! own, so that whoever knows a run finds its place: after a restart, in another
//! replica, and behind an agent that passes on nothing. What is to be recorded
//! follows from the name too (head sampling), and is passed on with it as a W3C
//! `traceparent`.
//!
//! A span can say nothing but what [`Attribute`] lists: no body, no header's
//! value, no key and no URL can get into one. While traces are off ([`super::export`])
//! a span costs a branch and holds nothing.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanContext, SpanId, Status, TraceContextExt as _, TraceFlags, TraceId,
    TraceState, Tracer as _,
};
use opentelemetry::{Context, KeyValue, Value};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator, SdkTracer};

/// Everything that a span may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    RunId,
    TargetId,
    Suite,
    Slot,
    Region,
    AgentKeyId,
    /// Of a URL the host alone.
    UrlHost,
    Step,
    HttpMethod,
    HttpStatus,
    Failure,
    Exchanges,
    /// Which hop of a redirect.
    Hop,
    Outcome,
    Reach,
    KeyId,
    /// How often the signer failed on the run before.
    Attempts,
}

impl Attribute {
    fn as_str(self) -> &'static str {
        match self {
            Self::RunId => "run.id",
            Self::TargetId => "target.id",
            Self::Suite => "suite",
            Self::Slot => "slot",
            Self::Region => "region",
            Self::AgentKeyId => "agent.key_id",
            Self::UrlHost => "url.host",
            Self::Step => "step",
            Self::HttpMethod => "http.request.method",
            Self::HttpStatus => "http.response.status_code",
            Self::Failure => "error.type",
            Self::Exchanges => "exchanges",
            Self::Hop => "hop",
            Self::Outcome => "outcome",
            Self::Reach => "reach",
            Self::KeyId => "key.id",
            Self::Attempts => "attempts",
        }
    }
}

/// A place in a trace, to which spans can be hung; nowhere while traces are off.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place(Option<SpanContext>);

impl Place {
    /// The first span of a run's trace.
    pub fn of_run(run_id: &str) -> Self {
        let tracing = TRACING.get();
        Self(tracing.and_then(|tracing| of_run(run_id, tracing.sample_ratio)))
    }

    /// The place that a W3C `traceparent` names.
    pub fn read(traceparent: &str) -> Option<Self> {
        read(traceparent).map(|place| Self(Some(place)))
    }

    /// The place that was passed on, or that of the run: an earlier version
    /// passes none on.
    pub fn passed_on(traceparent: &str, run_id: &str) -> Self {
        if TRACING.get().is_none() {
            return Self(None);
        }
        Self::read(traceparent).unwrap_or_else(|| Self::of_run(run_id))
    }

    /// The same, said by somebody who is not trusted: only the place inside the
    /// run's own trace is taken, and whether it is recorded is for us to say.
    pub fn claimed(traceparent: &str, run_id: &str) -> Self {
        let own = Self::of_run(run_id);
        let Some(own) = own.0 else { return own };
        Self(Some(within(own, read(traceparent))))
    }

    /// Whether spans below this place are written.
    pub fn is_recorded(&self) -> bool {
        self.0.as_ref().is_some_and(SpanContext::is_sampled)
    }

    /// W3C Trace Context, section 3.2; empty for nowhere.
    pub fn traceparent(&self) -> String {
        self.0.as_ref().map_or_else(String::new, |place| {
            let flags = place.trace_flags() & TraceFlags::SAMPLED;
            format!(
                "00-{}-{}-{:02x}",
                place.trace_id(),
                place.span_id(),
                flags.to_u8()
            )
        })
    }
}

/// A span that goes on until it is dropped.
#[derive(Debug, Default)]
pub struct Span(Option<opentelemetry_sdk::trace::Span>);

impl Span {
    /// The first of a run's trace, in the past.
    pub fn first(name: &'static str, run_id: &str, from_ms: i64) -> Self {
        let Some(tracing) = TRACING.get() else {
            return Self(None);
        };
        let Some(place) = of_run(run_id, tracing.sample_ratio).filter(SpanContext::is_sampled)
        else {
            return Self(None);
        };
        NAMED.set(Some((place.trace_id(), place.span_id())));
        let builder = SpanBuilder::from_name(name).with_start_time(time(from_ms));
        let span = tracing.tracer.build_with_context(builder, &Context::new());
        NAMED.set(None);
        Self(Some(span))
    }

    /// Below a place, from now on.
    pub fn begin(name: &'static str, at: &Place) -> Self {
        Self::build(SpanBuilder::from_name(name), at)
    }

    /// Below a place, since a time in milliseconds of the epoch.
    pub fn since(name: &'static str, at: &Place, from_ms: i64) -> Self {
        Self::build(
            SpanBuilder::from_name(name).with_start_time(time(from_ms)),
            at,
        )
    }

    /// Below a place, and over now, after having lasted so long.
    pub fn over(name: &'static str, at: &Place, lasted: Duration) -> Self {
        let began = SystemTime::now().checked_sub(lasted).unwrap_or(UNIX_EPOCH);
        Self::build(SpanBuilder::from_name(name).with_start_time(began), at)
    }

    fn build(builder: SpanBuilder, at: &Place) -> Self {
        let (Some(tracing), Some(place)) = (TRACING.get(), &at.0) else {
            return Self(None);
        };
        if !place.is_sampled() {
            return Self(None);
        }
        let parent = Context::new().with_remote_span_context(place.clone());
        Self(Some(tracing.tracer.build_with_context(builder, &parent)))
    }

    /// Where children of this span hang; a span that is not recorded gives
    /// the place that it was to hang at itself.
    pub fn place_or(&self, at: &Place) -> Place {
        self.0.as_ref().map_or_else(
            || at.clone(),
            |span| Place(Some(span.span_context().clone())),
        )
    }

    pub fn set(&mut self, attribute: Attribute, value: impl Into<Said>) {
        if let Some(span) = &mut self.0 {
            span.set_attribute(KeyValue::new(attribute.as_str(), value.into().0));
        }
    }

    /// What it was to do came to nothing, for a reason of a closed list.
    pub fn fail(&mut self, failure: &'static str) {
        if let Some(span) = &mut self.0 {
            span.set_attribute(KeyValue::new(Attribute::Failure.as_str(), failure));
            span.set_status(Status::error(failure));
        }
    }

    /// Ends at a time in milliseconds of the epoch, rather than when dropped.
    pub fn end_at(mut self, to_ms: i64) {
        if let Some(span) = &mut self.0 {
            span.end_with_timestamp(time(to_ms));
        }
    }

    /// Ends so long after a time in milliseconds of the epoch.
    pub fn end_after(mut self, from_ms: i64, lasted: Duration) {
        if let Some(span) = &mut self.0 {
            span.end_with_timestamp(time(from_ms) + lasted);
        }
    }
}

/// What an attribute says.
#[derive(Debug)]
pub struct Said(Value);

impl From<&str> for Said {
    fn from(text: &str) -> Self {
        Self(text.to_owned().into())
    }
}

impl From<String> for Said {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<u64> for Said {
    fn from(number: u64) -> Self {
        Self(i64::try_from(number).unwrap_or(i64::MAX).into())
    }
}

impl From<u32> for Said {
    fn from(number: u32) -> Self {
        Self(i64::from(number).into())
    }
}

/// Traces that are on, in this process.
#[derive(Debug)]
pub(crate) struct Tracing {
    pub(crate) tracer: SdkTracer,
    /// Of all runs, the part that is recorded.
    pub(crate) sample_ratio: f64,
}

static TRACING: OnceLock<Tracing> = OnceLock::new();

/// Turns traces on, once.
pub(crate) fn turn_on(tracing: Tracing) {
    let _twice = TRACING.set(tracing);
}

thread_local! {
    /// The name of the span that is being made on this thread, if it has one before.
    static NAMED: Cell<Option<(TraceId, SpanId)>> = const { Cell::new(None) };
}

/// Random names, but for the first span of a run.
#[derive(Debug, Default)]
pub(crate) struct Names(RandomIdGenerator);

impl IdGenerator for Names {
    fn new_trace_id(&self) -> TraceId {
        NAMED
            .get()
            .map_or_else(|| self.0.new_trace_id(), |(trace, _)| trace)
    }

    fn new_span_id(&self) -> SpanId {
        NAMED
            .get()
            .map_or_else(|| self.0.new_span_id(), |(_, span)| span)
    }
}

/// A run's name is 32 bytes in hex: the first 16 name its trace, the next 8 its
/// first span.
fn of_run(run_id: &str, sample_ratio: f64) -> Option<SpanContext> {
    let trace_id = TraceId::from_hex(run_id.get(..32)?).ok()?;
    let span_id = SpanId::from_hex(run_id.get(32..48)?).ok()?;
    let flags = TraceFlags::default().with_sampled(is_sampled(trace_id, sample_ratio));
    let place = SpanContext::new(trace_id, span_id, flags, true, TraceState::NONE);
    place.is_valid().then_some(place)
}

/// The run's own place, or the claimed one if it is of the same trace.
fn within(own: SpanContext, claimed: Option<SpanContext>) -> SpanContext {
    match claimed {
        Some(claimed) if claimed.trace_id() == own.trace_id() => SpanContext::new(
            own.trace_id(),
            claimed.span_id(),
            own.trace_flags(),
            true,
            TraceState::NONE,
        ),
        _ => own,
    }
}

/// The same for every process with the same ratio, since names are hashes.
fn is_sampled(trace_id: TraceId, ratio: f64) -> bool {
    let [.., a, b, c, d] = trace_id.to_bytes();
    f64::from(u32::from_be_bytes([a, b, c, d])) < ratio * (f64::from(u32::MAX) + 1.0)
}

fn read(traceparent: &str) -> Option<SpanContext> {
    let mut parts = traceparent.split('-');
    let (version, trace, span, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |part: &str, length: usize| {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        part.len() == length && part.bytes().all(digit)
    };
    // A later version may have more parts; the first has four.
    let fits = is_hex(version, 2) && version != "ff" && (version != "00" || parts.next().is_none());
    if !fits || !is_hex(trace, 32) || !is_hex(span, 16) || !is_hex(flags, 2) {
        return None;
    }
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?) & TraceFlags::SAMPLED;
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    let place = SpanContext::new(trace, span, flags, true, TraceState::NONE);
    place.is_valid().then_some(place)
}

fn time(at_ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(at_ms).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RUN: &str = "00112233445566778899aabbccddeeff0123456789abcdef0000000000000000";

    #[test]
    fn a_run_has_one_place_whoever_asks() {
        let place = Place(of_run(RUN, 1.0));
        assert_eq!(
            place.traceparent(),
            "00-00112233445566778899aabbccddeeff-0123456789abcdef-01"
        );
        assert_eq!(read(&place.traceparent()), place.0);
        let quiet = Place(of_run(RUN, 0.0));
        assert!(quiet.traceparent().ends_with("-00"));
        assert_eq!(read(&quiet.traceparent()), quiet.0);
        for odd in ["", "run-1", &"0".repeat(64), &"é".repeat(32)] {
            assert_eq!(of_run(odd, 1.0), None, "{odd}");
        }
    }

    #[test]
    fn an_agent_moves_no_span_into_another_trace_and_decides_no_recording() {
        let own = of_run(RUN, 1.0).unwrap();
        let claim = |text: &str| Place(Some(within(own.clone(), read(text)))).traceparent();
        let trace = &RUN[..32];
        assert_eq!(
            claim(&format!("00-{trace}-00000000000000aa-00")),
            format!("00-{trace}-00000000000000aa-01")
        );
        let elsewhere = format!("00-{}-00000000000000aa-01", "1".repeat(32));
        assert_eq!(claim(&elsewhere), Place(Some(own.clone())).traceparent());
        assert_eq!(claim(""), Place(Some(own.clone())).traceparent());
    }

    #[test]
    fn what_is_off_is_nowhere_and_records_nothing() {
        // No test of this crate turns traces on.
        let place = Place::passed_on(&Place(of_run(RUN, 1.0)).traceparent(), RUN);
        assert_eq!(place, Place::default());
        assert_eq!(place.traceparent(), "");
        let mut span = Span::begin("any", &place);
        span.set(Attribute::RunId, RUN);
        assert!(span.0.is_none());
        assert_eq!(span.place_or(&place), place);
    }

    #[test]
    fn a_ratio_keeps_its_part() {
        let sampled = |ratio| {
            (0_u64..4_000)
                .filter(|n| {
                    let spread = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                    is_sampled(TraceId::from(u128::from(spread >> 32)), ratio)
                })
                .count()
        };
        assert_eq!((sampled(0.0), sampled(1.0)), (0, 4_000));
        assert!((900..1_100).contains(&sampled(0.25)), "{}", sampled(0.25));
    }

    proptest! {
        #[test]
        fn any_text_is_a_place_or_none(text in "(00|01|ff|[0-9a-f]{2})-[0-9a-fA-F]{31,33}-[0-9a-f]{15,17}-[0-9a-f]{2}(-.{0,4})?|\\PC{0,60}") {
            if let Some(place) = Place::read(&text) {
                prop_assert_eq!(Place::read(&place.traceparent()), Some(place));
            }
        }
    }
}
