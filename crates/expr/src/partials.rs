//! Derivatives of one scalar expression by its leaves, in one reverse sweep.

use crate::build::{WIDEST, powers};
use crate::digest::Digest;
use crate::error::{Error, MAX_NODES};
use crate::expr::{Expr, Node};
use crate::function::Function::{self, *};
use crate::number::Number;
use cotangent_scalar::Limits;
use std::collections::HashMap;

/// Counts the nodes a derivative visits, so that a runaway ends in an error, as does what somebody wants to stop.
#[derive(Default)]
pub(crate) struct Budget {
    spent: u64,
    limits: Limits,
}

impl Budget {
    pub(crate) fn within(limits: &Limits) -> Budget {
        Budget { spent: 0, limits: limits.clone() }
    }

    pub(crate) fn spend(&mut self, nodes: u64) -> Result<(), Error> {
        self.limits.check()?;
        self.spent = self.spent.saturating_add(nodes);
        if self.spent > MAX_NODES {
            return Err(Error::TooLarge { what: "differentiation", limit: MAX_NODES, unit: "expression nodes" });
        }
        Ok(())
    }
}

/// (leaf, ∂e/∂leaf) for each distinct array element in `e`, in order of first visit.
///
/// The adjoint ē of each node is accumulated from its users: for y = f(…, x, …),
/// x̄ gains ȳ·∂f/∂x. Shared sub-expressions are visited once, so all partials together cost a
/// small multiple of the expression.
pub(crate) fn partials(e: &Expr, budget: &mut Budget) -> Result<Vec<(Expr, Expr)>, Error> {
    let order = post_order(e);
    budget.spend(order.len() as u64)?;
    let mut adjoint: HashMap<Digest, Vec<Expr>> = HashMap::from([(e.digest(), vec![Expr::one()])]);
    let mut out = vec![];
    for node in order.iter().rev() {
        let Some(contributions) = adjoint.remove(&node.digest()) else { continue };
        let bar = Expr::sum(contributions);
        if bar.is_zero() {
            continue;
        }
        let mut give = |child: &Expr, share: Expr| adjoint.entry(child.digest()).or_default().push(share);
        match node.node() {
            Node::Number(_) | Node::Pi | Node::Index(_) => {}
            Node::Poison(p) => return Err((*p).into()),
            Node::At(..) => out.push((node.clone(), bar)),
            Node::Add(_, terms) => {
                for (c, t) in terms {
                    give(t, bar.scale(*c));
                }
            }
            Node::Mul(factors) => {
                product(bar, factors, budget, &mut give)?;
            }
            Node::Call(f, args) => {
                for (k, arg) in args.iter().enumerate() {
                    give(arg, &bar * call_partial(*f, args, k, node));
                }
            }
        }
    }
    // Reverse of the reverse: the order in which the leaves occur.
    out.reverse();
    Ok(out)
}

/// Gives each factor of bar·Π base^k its share, in time n log n: of many factors each half shares the product of the
/// other.
fn product(
    bar: Expr,
    factors: &[(Expr, Number)],
    budget: &mut Budget,
    give: &mut dyn FnMut(&Expr, Expr),
) -> Result<(), Error> {
    if factors.len() > WIDEST {
        budget.spend(2 * factors.len() as u64)?;
        let (left, right) = factors.split_at(factors.len() / 2);
        product(&bar * powers(right.iter().cloned()), left, budget, give)?;
        return product(bar * powers(left.iter().cloned()), right, budget, give);
    }
    budget.spend((factors.len() * factors.len()) as u64)?;
    for (k, (base, exponent)) in factors.iter().enumerate() {
        // ∂(b^k·rest)/∂b = k·b^(k−1)·rest
        let less =
            |(j, (b, e)): (usize, &(Expr, Number))| (b.clone(), if j == k { *e + Number::MINUS_ONE } else { *e });
        let others = factors.iter().enumerate().map(less);
        give(base, powers([(bar.clone(), Number::ONE)].into_iter().chain(others)).scale(*exponent));
    }
    Ok(())
}

fn post_order(e: &Expr) -> Vec<Expr> {
    fn visit(e: &Expr, seen: &mut std::collections::HashSet<Digest>, out: &mut Vec<Expr>) {
        if seen.insert(e.digest()) {
            e.children().for_each(|c| visit(c, seen, out));
            out.push(e.clone());
        }
    }
    let mut out = vec![];
    visit(e, &mut Default::default(), &mut out);
    out
}

/// ∂f(args)/∂args[k]; `value` is f(args) itself.
pub(crate) fn call_partial(f: Function, args: &[Expr], k: usize, value: &Expr) -> Expr {
    let x = &args[0];
    let call = |f: Function, x: &Expr| Expr::call(f, vec![x.clone()]);
    match f {
        Exp => value.clone(),
        Log => x.powi(-1),
        Sin => call(Cos, x),
        Cos => -call(Sin, x),
        Tan => 1 + value.powi(2),
        Asin => (1 - x.powi(2)).pow(-Number::HALF),
        Acos => -(1 - x.powi(2)).pow(-Number::HALF),
        Atan => (1 + x.powi(2)).powi(-1),
        Sinh => call(Cosh, x),
        Cosh => call(Sinh, x),
        Tanh => 1 - value.powi(2),
        Abs => call(Sign, x),
        Sign | Floor => Expr::zero(),
        Atan2 => {
            let (y, x) = (&args[0], &args[1]);
            let r2 = x.powi(2) + y.powi(2);
            if k == 0 { x / r2 } else { -y / r2 }
        }
        // max(a, b) = (a + b + |a − b|)/2, min likewise.
        Min | Max => {
            let side = call(Sign, &(&args[k] - &args[1 - k]));
            (if f == Max { 1 + side } else { 1 - side }) / 2
        }
        // mod(a, b) = a − b·floor(a/b)
        Mod if k == 0 => Expr::one(),
        Mod => -call(Floor, &(&args[0] / &args[1])),
        Pow if k == 0 => &args[1] * x.power(&(&args[1] - 1)),
        Pow => value * call(Log, x),
        // c_k' = −(c_{k+1} − k·c_{k+2})/2
        Stumpff(order) => {
            let next = call(Stumpff(order.saturating_add(1)), x);
            let after = call(Stumpff(order.saturating_add(2)), x);
            (order as i64 * after - next) / 2
        }
    }
}
