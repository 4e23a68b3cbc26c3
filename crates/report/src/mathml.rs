//! LaTeX to MathML, which browsers set themselves.
//!
//! What cannot be converted is shown as its LaTeX source: a formula is never lost and never an
//! error. The converted markup is let through only if it consists of known elements and
//! attributes, so a formula can neither link, load nor run anything.

use crate::escape;
use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

/// Longer formulas are shown as source.
const LONGEST: usize = 20_000;

/// Formulas of more commands, groups and scripts, which may all be nested, are shown as source.
const MOST_LEVELS: usize = 4000;

/// The converter recurses: about 27 kB a level where it is not optimised.
const STACK: usize = MOST_LEVELS * 40_000;

/// Markup that grows by more than this factor is not used.
const MOST_GROWTH: usize = 40;

const ELEMENTS: &[&str] = &[
    "math",
    "mi",
    "mo",
    "mn",
    "mtext",
    "mspace",
    "ms",
    "mrow",
    "mfrac",
    "msqrt",
    "mroot",
    "mstyle",
    "mpadded",
    "mphantom",
    "menclose",
    "msub",
    "msup",
    "msubsup",
    "munder",
    "mover",
    "munderover",
    "mmultiscripts",
    "mprescripts",
    "mtable",
    "mtr",
    "mtd",
    "merror",
    "semantics",
    "none",
];

const ATTRIBUTES: &[&str] = &[
    "display",
    "displaystyle",
    "scriptlevel",
    "mathvariant",
    "mathsize",
    "mathcolor",
    "mathbackground",
    "accent",
    "accentunder",
    "stretchy",
    "symmetric",
    "fence",
    "separator",
    "largeop",
    "movablelimits",
    "form",
    "lspace",
    "rspace",
    "minsize",
    "maxsize",
    "width",
    "height",
    "depth",
    "voffset",
    "linethickness",
    "notation",
    "columnspan",
    "rowspan",
    "columnalign",
    "rowalign",
    "columnspacing",
    "rowspacing",
    "columnlines",
    "rowlines",
    "frame",
    "style",
    "class",
    "xmlns",
];

/// A formula on a line of its own.
pub(crate) fn block(latex: &str) -> String {
    convert(latex, MathDisplay::Block)
}

/// A formula in running text.
pub(crate) fn inline(latex: &str) -> String {
    convert(latex, MathDisplay::Inline)
}

fn convert(latex: &str, display: MathDisplay) -> String {
    mathml(latex, display).unwrap_or_else(|| source(latex))
}

fn source(latex: &str) -> String {
    format!("<code class=\"latex\">{}</code>", escape::text(&escape::clip(latex, LONGEST)))
}

fn mathml(latex: &str, display: MathDisplay) -> Option<String> {
    let levels = latex.chars().filter(|c| matches!(c, '\\' | '{' | '[' | '(' | '^' | '_')).count();
    if latex.len() > LONGEST || levels > MOST_LEVELS {
        return None;
    }
    let convert = || {
        let converter = LatexToMathML::new(MathCoreConfig::default()).ok()?;
        Some(converter.convert_with_local_state(latex, display).ok()?.mathml)
    };
    // A stack of its own, of which only what is needed is ever touched; where there are no threads the source is shown.
    #[allow(clippy::disallowed_types, clippy::disallowed_methods)]
    let markup = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, convert).ok()?;
        thread.join().ok().flatten()
    })?;
    (markup.len() <= 1000 + MOST_GROWTH * latex.len() && is_plain(&markup)).then_some(markup)
}

/// Whether the markup has known elements and attributes alone.
fn is_plain(markup: &str) -> bool {
    markup.split('<').skip(1).all(|piece| {
        let Some((tag, _)) = piece.split_once('>') else { return false };
        let tag = tag.trim_start_matches('/').trim_end_matches('/').trim_end();
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        ELEMENTS.contains(&name) && plain_attributes(attributes)
    })
}

fn plain_attributes(mut rest: &str) -> bool {
    while !rest.trim().is_empty() {
        let Some((name, after)) = rest.split_once("=\"") else { return false };
        let Some((value, after)) = after.split_once('"') else { return false };
        if !ATTRIBUTES.contains(&name.trim()) || value.contains("url(") || value.contains('\\') {
            return false;
        }
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_expressions_print_is_converted() {
        let formulas = [
            r"\frac{p_{\theta}^{2}}{2 m \ell^{2}} - m g \ell \cos\left(\theta\right)",
            r"\sum_{i=1}^{n} \frac{1}{2} m_{i} \left(\dot{x}_{i}^{2} + \dot{y}_{i}^{2}\right)",
            r"{\mathrm{length}_{1}}_{i} \sqrt{x^{2} + y^{2}} \operatorname{atan2}\left(y, x\right)",
            r"\begin{aligned} \dot{q} &= \frac{\partial H}{\partial p} \\ \dot{p} &= -\frac{\partial H}{\partial q} \end{aligned}",
            r"\left\{F, G\right\}_{D} = \{F, G\} - \{F, \phi_a\} C^{ab} \{\phi_b, G\}",
            r"x_{(i \bmod 3)} \lfloor i/2\rfloor \arctan\left(x\right) \hbar \ell \Re \varepsilon \Omega \pi",
            r"\text{division by zero} \left|x\right| + \dots",
            r"\begin{pmatrix} 0 & 1 \\ -1 & 0 \end{pmatrix} \approx \begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}",
        ];
        for latex in formulas {
            let html = block(latex);
            assert!(html.starts_with("<math display=\"block\""), "{latex}: {html}");
            roxmltree::Document::parse(&html).unwrap();
        }
        assert!(block(formulas[0]).contains("<mfrac>"));
        assert!(inline("x").starts_with("<math>"), "{}", inline("x"));
    }

    #[test]
    fn what_cannot_be_converted_is_shown_as_it_is() {
        let deep = format!("{}x{}", "{".repeat(9000), "}".repeat(9000));
        let primes = format!("x{}", "'".repeat(9000));
        let long = "x".repeat(30_000);
        for latex in [r"\frac{a", r"\unknown{<b>}", r"x^x^x", r"\left( x", &deep, &primes, &long] {
            let html = block(latex);
            assert!(html.starts_with("<code class=\"latex\">") && !html.contains("<b>"), "{html:.200}");
        }
    }

    #[test]
    fn deep_formulas_do_not_exhaust_the_stack() {
        let pairs =
            [("{", "}"), (r"\frac1", ""), (r"\left(", r"\right)"), (r"\sqrt{", "}"), ("x_{", "}"), (r"\mathbf{", "}")];
        for (open, close) in pairs {
            let html = block(&format!("{}x{}", open.repeat(1000), close.repeat(1000)));
            assert!(html.starts_with("<math"), "{html:.100}");
        }
    }

    #[test]
    fn a_formula_cannot_link_or_run_anything() {
        for latex in [
            r"\href{javascript:alert(1)}{x}",
            r"\url{javascript:alert(1)}",
            r"x </script><script>alert(1)</script>",
            r"\text{<img src=x onerror=alert(1)>}",
            r#"\color{red" onclick="alert(1)}{x}"#,
            r"\textcolor{#123456}{x}",
        ] {
            let html = block(latex);
            let code = html.starts_with("<code class=\"latex\">");
            assert!(code || is_plain(&html), "{html}");
            for bad in ["<script", "<img", "href=", "onclick=\""] {
                assert!(!html.contains(bad), "{html}");
            }
        }
        assert!(!is_plain("<a href=\"x\">") && !is_plain("<mi onclick=\"x\">") && !is_plain("<mi"));
    }
}
