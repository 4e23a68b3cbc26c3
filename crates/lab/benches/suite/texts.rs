//! Systems of rods in other shapes than a chain, n of them or thereabouts.

pub(crate) const PENDULUM: &str = include_str!("../../../../models/pendulum.cot");
pub(crate) const CHAIN: &str = include_str!("../../../../models/chain.cot");
pub(crate) const TREE: &str = include_str!("../../../../models/tree.cot");
pub(crate) const HENON_HEILES: &str = include_str!("../../../../models/henon-heiles.cot");
pub(crate) const LORENZ: &str = include_str!("../../../../models/lorenz-86.cot");

/// n masses on a circle, each joined to the next, the last to the first, thrown.
pub(crate) const RING: &str = "param n : int = 10\n\
    param next[i in 1..n] : int = mod(i, n) + 1\nparam r = n/(2*pi)\n\
    coord x[i in 1..n], y[i in 1..n]\n\
    lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2 - y[i])\n\
    constraint rod[i in 1..n]: ((x[next[i]] - x[i])^2 + (y[next[i]] - y[i])^2)/2 = (2*r*sin(pi/n))^2/2\n\
    initial x[i in 1..n] = r*cos(2*pi*i/n), y[i in 1..n] = r*sin(2*pi*i/n)\n\
    initial x[1]' = 1\n";

/// A strip of triangles: each mass joined to the next and to the one after it, in three dimensions.
pub(crate) const STRIP: &str = "param n : int = 10\n\
    coord x[i in 1..n], y[i in 1..n], z[i in 1..n]\n\
    lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2 + z[i]'^2)/2 - z[i])\n\
    constraint side[i in 1..n-1]: ((x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 + (z[i+1] - z[i])^2 - 1)/2 = 0\n\
    constraint edge[i in 1..n-2]: ((x[i+2] - x[i])^2 + (y[i+2] - y[i])^2 + (z[i+2] - z[i])^2 - 1)/2 = 0\n\
    initial x[i in 1..n] = i/2, y[i in 1..n] = sqrt(3)/2*mod(i, 2)\n";

/// A chain that hangs straight down, pushed at its end.
pub(crate) const STRAIGHT: &str = "param n : int = 10\n\
    coord x[i in 1..n], y[i in 1..n]\nboundary x[0] = 0, y[0] = 0\n\
    lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2 - y[i])\n\
    constraint link[i in 1..n]: ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2 = 0\n\
    initial y[i in 1..n] = -i, x[n]' = 1\n";

/// n molecules like methane: four light masses around a heavy one, all six distances between them kept besides.
pub(crate) const STAR: &str = "param n : int = 10\n\
    param sx[k in 1..4] = 1 - 2*mod(k, 2), sy[k in 1..4] = 1 - 2*mod(floor((k+1)/2), 2)\n\
    param sz[k in 1..4] = sx[k]*sy[k]\n\
    coord x[i in 1..n], y[i in 1..n], z[i in 1..n]\n\
    coord u[i in 1..n, k in 1..4], v[i in 1..n, k in 1..4], w[i in 1..n, k in 1..4]\n\
    lagrangian sum(i in 1..n, 12*(x[i]'^2 + y[i]'^2 + z[i]'^2)/2)\n\
    \x20   + sum(i in 1..n, k in 1..4, (u[i,k]'^2 + v[i,k]'^2 + w[i,k]'^2)/2 - w[i,k])\n\
    constraint bond[i in 1..n, k in 1..4]:\n\
    \x20   ((u[i,k] - x[i])^2 + (v[i,k] - y[i])^2 + (w[i,k] - z[i])^2 - 3)/2 = 0\n\
    initial x[i in 1..n] = 10*i, u[i in 1..n, k in 1..4] = 10*i + sx[k]\n\
    initial v[i in 1..n, k in 1..4] = sy[k], w[i in 1..n, k in 1..4] = sz[k]\n";
