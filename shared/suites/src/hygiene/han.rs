//! The Chinese words of H6. They are found wherever they stand: Chinese has no
//! spaces, so no word has a border.

/// In UTF-8, each character of the words here.
pub(super) const CHARACTER_BYTES: usize = 3;

/// The words by their first character. None begins another.
pub(super) const fn words(first: char) -> &'static [(&'static str, Han)] {
    match first {
        '扣' => &[("扣费", Han::Money)],
        '续' => &[("续费", Han::Money)],
        '费' => &[("费用", Han::Money)],
        '支' => &[("支付", Han::Money)],
        '付' => &[("付款", Han::Money)],
        '购' => &[("购买", Han::Money)],
        '订' => &[("订阅", Han::Money)],
        '钱' => &[("钱包", Han::Money)],
        '邮' => &[("邮箱", Han::Money)],
        '身' => &[("身份", Han::Money)],
        '上' => &[("上限", Han::Policy)],
        '额' => &[("额度", Han::Policy)],
        '限' => &[("限额", Han::Policy)],
        '策' => &[("策略", Han::Policy)],
        '白' => &[("白名单", Han::Policy)],
        '免' => &[("免费", Han::Free)],
        '不' => &[("不收费", Han::Free)],
        '无' => &[("无需确认", Han::Phrase), ("无需另行确认", Han::Phrase)],
        '视' => &[("视为同意", Han::Phrase), ("视为用户同意", Han::Phrase)],
        _ => &[],
    }
}

/// What a Chinese word is to H6.
#[derive(Clone, Copy, Debug)]
pub(super) enum Han {
    Money,
    Policy,
    Free,
    Phrase,
}
