//! The agents: who may connect, what they are given, what they bring.

pub mod view;
