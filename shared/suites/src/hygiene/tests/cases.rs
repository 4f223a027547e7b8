//! The labelled cases of `vectors/hygiene.json`, each as it is.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{Listed, Rule, Scan, scan};

/// The names the cases use for what our rules report.
fn rule_name(rule: Rule) -> &'static [&'static str] {
    match rule {
        Rule::ZeroWidth => &["zero_width"],
        Rule::Tag => &["unicode_tag"],
        Rule::Bidi => &["bidi_override"],
        Rule::TellUser => &["do_not_tell_user"],
        Rule::SystemPrompt => &["system_prompt"],
        Rule::HideFailure => &["never_say_missing"],
        Rule::PayByDefault => &["pay_by_default"],
        Rule::NoApproval => &["no_approval_needed"],
        Rule::NeedNotAsk => &["need_not_ask"],
        Rule::ZeroQuestions => &["zero_questions"],
        Rule::WithoutAsking => &["without_asking"],
        Rule::NoApprovalEach => &["no_per_action_approval"],
        Rule::GrantIsConsent => &["grant_is_permission"],
        Rule::AcceptAll => &["accept_all_prompts"],
        Rule::RecursAlone => &["continues_automatically"],
        Rule::AgentLoop => &["agent_loop"],
        Rule::GitEmail => &["git_user_email"],
        Rule::NeverAsk => &["never_ask_before"],
        Rule::DeemedConsent => &["zh_no_confirm", "zh_deemed_consent"],
        Rule::SellLent => &["resell_entrusted"],
        Rule::RaiseLimit => &["raise_limit", "zero_limit"],
        Rule::OwnerFunds => &["owner_funds"],
        Rule::WithoutUser => &["continue_without_user"],
        // No case names these; they may stand beside those it does name.
        Rule::IgnorePrevious
        | Rule::MustAlways
        | Rule::BeforeOtherTool
        | Rule::CredentialFile
        | Rule::RoleDelimiter
        | Rule::ScriptMarkup
        | Rule::PrivateUse => &[],
    }
}

fn text<'c>(value: &'c Value, member: &str) -> &'c str {
    value[member].as_str().unwrap_or_default()
}

fn set<'c>(value: &'c Value, member: &str) -> BTreeSet<&'c str> {
    let items = value[member].as_array().unwrap();
    items.iter().map(|item| item.as_str().unwrap()).collect()
}

/// What differs from the expectation, in words.
fn differences(scan: &Scan, expect: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    if scan.is_risk() != expect["risk"].as_bool().unwrap() {
        wrong.push(format!("risk {}", scan.is_risk()));
    }
    let families: BTreeSet<_> = scan.hits.iter().map(|hit| hit.family.as_str()).collect();
    if families != set(expect, "families") {
        wrong.push(format!("families {families:?}"));
    }
    let expected = set(expect, "rules");
    let every_rule_named = scan.hits.iter().all(|hit| {
        let names = rule_name(hit.rule);
        names.is_empty() || names.iter().any(|name| expected.contains(name))
    });
    let every_name_found = expected.iter().all(|name| {
        scan.hits
            .iter()
            .any(|hit| rule_name(hit.rule).contains(name))
    });
    if !(every_rule_named && every_name_found) {
        wrong.push(format!("rules {:?}", scan.hits));
    }
    // The cases do not speak of odd names.
    let listed: BTreeSet<_> = scan.listed.iter().map(Listed::kind).collect();
    let listed = listed
        .into_iter()
        .filter(|kind| *kind != "odd_name")
        .collect::<BTreeSet<_>>();
    if listed != set(expect, "listed") {
        wrong.push(format!("listed {listed:?}"));
    }
    wrong
}

/// The state of a whole list, as the check gives it.
fn state(input: &Value) -> &'static str {
    let tools = input["tools"].as_array().unwrap();
    let risk = tools
        .iter()
        .any(|tool| scan(text(tool, "name"), text(tool, "description")).is_risk());
    match (risk, input["complete"].as_bool().unwrap()) {
        (true, _) => "OBSERVED_RISK",
        (false, true) => "VERIFIED",
        (false, false) => "UNVERIFIED",
    }
}

#[test]
fn every_labelled_case_is_answered_as_labelled() {
    let file: Value = serde_json::from_str(include_str!("../../../vectors/hygiene.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 303);
    let mut wrong = Vec::new();
    for case in cases {
        let (input, expect) = (&case["input"], &case["expect"]);
        let found = if input["tools"].is_array() {
            let state = state(input);
            if state == text(expect, "state") {
                vec![]
            } else {
                vec![state.to_owned()]
            }
        } else {
            let found = scan(text(input, "name"), text(input, "description"));
            differences(&found, expect)
        };
        if !found.is_empty() {
            wrong.push(format!(
                "{}: {} [{}]",
                text(case, "id"),
                found.join(", "),
                text(case, "why")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
