//! The agents: who may connect, what they are given, what they bring.

pub mod dispatch;
mod dispatcher;
pub mod ingest;
pub mod lease;
pub mod line;
pub mod report;
pub mod roster;
pub mod stream;
pub mod token;
pub mod view;

#[cfg(test)]
mod tests;
