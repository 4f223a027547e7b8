//! Which keys a type of configuration knows, by asking the type, and which a
//! text sets, well-formed or not.

use serde::Deserialize;
use serde::de::value::Error;
use serde::de::{Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// The names of a struct's fields, as it hands them to whatever it is read from.
pub(super) fn of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    // Nothing is read, so this always fails; the names are what was wanted.
    let _nothing = T::deserialize(Fields(&mut names));
    names
}

/// The keys that stand at the beginning of lines before the first table, and
/// the tables' names. A text that is not TOML has some too.
pub(super) fn set_in(text: &str) -> impl Iterator<Item = &str> {
    let mut in_a_table = false;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if let Some(table) = line.strip_prefix('[') {
            in_a_table = true;
            return Some(table.trim_matches(['[', ']', ' ']));
        }
        let (key, _value) = line.split_once('=')?;
        (!in_a_table && !line.starts_with('#')).then(|| key.trim())
    })
}

/// Reads nothing and keeps the names of the fields that it is asked for.
struct Fields<'n>(&'n mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        Err(Error::custom("nothing is read"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("only structs have keys"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier
        ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_a_role_is_known() {
        let keys = of::<touchstone_coordinator::Config>();
        // Two that have no default, so that no printed configuration shows them.
        for key in ["database_limit_mb", "public_url", "targets", "log"] {
            assert!(keys.contains(&key), "{key}: {keys:?}");
        }
        assert!(of::<touchstone_probe_agent::Config>().contains(&"deny_net"));
        assert!(of::<touchstone_signer::Config>().contains(&"admin_socket"));
    }

    #[test]
    fn keys_are_found_in_what_is_no_toml() {
        let text = "# a = 1\nsocket = [\n data =\n[[targets]]\nurl = 1\n[log]\nformat = 2";
        let found: Vec<&str> = set_in(text).collect();
        assert_eq!(found, ["socket", "data", "targets", "log"]);
    }
}
