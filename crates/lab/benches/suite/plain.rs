//! The loops to compare with, written by hand for one system each: their own Newton iteration, no compensation.

/// γ₁ … γ₁₇ of the composition of order 8 by Kahan and Li.
pub(crate) fn kahan_li_8() -> [f64; 17] {
    let outer = [
        0.130_202_483_088_890_08,
        0.561_162_981_775_108_4,
        -0.389_474_962_644_847_3,
        0.158_841_906_555_155_6,
        -0.395_903_894_133_237_57,
        0.184_539_640_978_315_7,
        0.258_374_387_686_322_04,
        0.295_011_723_609_310_3,
    ];
    let mut all = [1.0 - 2.0 * outer.iter().sum::<f64>(); 17];
    for (k, gamma) in outer.into_iter().enumerate() {
        (all[k], all[16 - k]) = (gamma, gamma);
    }
    all
}

/// γ₁ … γ₁₅ of the composition of order 8 by Yoshida (solution D).
pub(crate) fn yoshida_8() -> [f64; 15] {
    let outer = [
        0.741_670_364_350_613,
        -0.409_100_825_800_031_6,
        0.190_754_710_296_238_4,
        -0.573_862_471_116_082_3,
        0.299_064_181_303_655_9,
        0.334_624_918_245_298_2,
        0.315_293_092_396_766_6,
    ];
    let mut all = [1.0 - 2.0 * outer.iter().sum::<f64>(); 15];
    for (k, gamma) in outer.into_iter().enumerate() {
        (all[k], all[14 - k]) = (gamma, gamma);
    }
    all
}

/// RATTLE on the pendulum (x, y, p_x, p_y) with a rod, a mass and a gravity of 1.
#[inline(always)]
pub(crate) fn pendulum([x, y, px, py]: [f64; 4], h: f64) -> [f64; 4] {
    let (mut kx, mut ky, mut l) = (px, py - 0.5 * h, 0.0);
    for _ in 0..20 {
        let (nx, ny) = (x + h * (kx - l * x), y + h * (ky - l * y));
        let g = 0.5 * (nx * nx + ny * ny - 1.0);
        l += g / (h * (nx * x + ny * y));
        if g.abs() < 1e-15 {
            break;
        }
    }
    (kx, ky) = (kx - l * x, ky - l * y);
    let (nx, ny) = (x + h * kx, y + h * ky);
    ky -= 0.5 * h;
    let m = (nx * kx + ny * ky) / (nx * nx + ny * ny);
    [nx, ny, kx - m * nx, ky - m * ny]
}

/// RATTLE on a chain of n unit masses and rods with the gravity 1, by Newton's method with a tridiagonal elimination.
pub(crate) struct Chain {
    n: usize,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    rx: Vec<f64>,
    ry: Vec<f64>,
    ux: Vec<f64>,
    uy: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
    g: Vec<f64>,
    w: Vec<f64>,
    /// Newton updates so far, one for the momenta of each step besides.
    pub(crate) updates: u64,
}

impl Chain {
    /// Released from the horizontal. Entries 1 to n are the links; those on both sides are zero.
    pub(crate) fn new(n: usize) -> Chain {
        let zeros = || vec![0.0; n + 2];
        let mut x = zeros();
        (1..=n).for_each(|i| x[i] = i as f64);
        let (y, p, q, rx, ry) = (zeros(), zeros(), zeros(), zeros(), zeros());
        let (ux, uy, a, b, c, g, w) = (zeros(), zeros(), zeros(), zeros(), zeros(), zeros(), zeros());
        Chain { n, x, y, p, q, rx, ry, ux, uy, a, b, c, g, w, updates: 0 }
    }

    fn eliminate(&mut self) {
        let Chain { n, a, b, c, g, w, .. } = self;
        let n = *n;
        let (a, b, c) = (&a[..n + 2], &b[..n + 2], &c[..n + 2]);
        let (g, w) = (&mut g[..n + 2], &mut w[..n + 2]);
        w[1] = 1.0 / b[1];
        for i in 2..=n {
            let m = a[i] * w[i - 1];
            w[i] = 1.0 / (b[i] - m * c[i - 1]);
            g[i] -= m * g[i - 1];
        }
        g[n] *= w[n];
        for i in (1..n).rev() {
            g[i] = (g[i] - c[i] * g[i + 1]) * w[i];
        }
        g[n + 1] = 0.0;
    }

    /// One step, until residuals are below a tolerance.
    pub(crate) fn step(&mut self, h: f64, tolerance: f64) {
        let n = self.n;
        self.rods();
        {
            let Chain { x, y, p, q, ux, uy, .. } = self;
            for i in 1..=n {
                q[i] -= 0.5 * h;
                ux[i] = x[i] + h * p[i];
                uy[i] = y[i] + h * q[i];
            }
        }
        for _ in 0..30 {
            let mut worst = 0.0f64;
            {
                let Chain { rx, ry, ux, uy, a, b, c, g, .. } = self;
                let (rx, ry, ux, uy) = (&rx[..n + 2], &ry[..n + 2], &ux[..n + 2], &uy[..n + 2]);
                let (a, b, c, g) = (&mut a[..n + 2], &mut b[..n + 2], &mut c[..n + 2], &mut g[..n + 2]);
                for i in 1..=n {
                    let (ex, ey) = (ux[i] - ux[i - 1], uy[i] - uy[i - 1]);
                    g[i] = 0.5 * (ex * ex + ey * ey - 1.0);
                    worst = worst.max(g[i].abs());
                    b[i] = if i == 1 { 1.0 } else { 2.0 } * (ex * rx[i] + ey * ry[i]);
                    a[i] = -(ex * rx[i - 1] + ey * ry[i - 1]);
                    c[i] = -(ex * rx[i + 1] + ey * ry[i + 1]);
                }
            }
            if worst < tolerance {
                break;
            }
            self.eliminate();
            self.updates += 1;
            let Chain { rx, ry, ux, uy, g, .. } = self;
            for i in 1..=n {
                ux[i] -= g[i] * rx[i] - g[i + 1] * rx[i + 1];
                uy[i] -= g[i] * ry[i] - g[i + 1] * ry[i + 1];
            }
        }
        {
            let Chain { x, y, p, q, ux, uy, .. } = self;
            for i in 1..=n {
                p[i] = (ux[i] - x[i]) / h;
                q[i] = (uy[i] - y[i]) / h - 0.5 * h;
                x[i] = ux[i];
                y[i] = uy[i];
            }
        }
        self.rods();
        {
            let Chain { p, q, rx, ry, a, b, c, g, .. } = self;
            for i in 1..=n {
                g[i] = rx[i] * (p[i] - p[i - 1]) + ry[i] * (q[i] - q[i - 1]);
                b[i] = if i == 1 { 1.0 } else { 2.0 } * (rx[i] * rx[i] + ry[i] * ry[i]);
                a[i] = -(rx[i] * rx[i - 1] + ry[i] * ry[i - 1]);
                c[i] = -(rx[i] * rx[i + 1] + ry[i] * ry[i + 1]);
            }
        }
        self.eliminate();
        self.updates += 1;
        let Chain { p, q, rx, ry, g, .. } = self;
        for i in 1..=n {
            p[i] -= g[i] * rx[i] - g[i + 1] * rx[i + 1];
            q[i] -= g[i] * ry[i] - g[i + 1] * ry[i + 1];
        }
    }

    fn rods(&mut self) {
        let Chain { n, x, y, rx, ry, .. } = self;
        for i in 1..=*n {
            rx[i] = x[i] - x[i - 1];
            ry[i] = y[i] - y[i - 1];
        }
    }
}

/// Störmer–Verlet on the system of Hénon and Heiles.
#[inline(always)]
pub(crate) fn henon_heiles([x, y, px, py]: [f64; 4], h: f64) -> [f64; 4] {
    let force = |x: f64, y: f64| (x + 2.0 * x * y, y + x * x - y * y);
    let (fx, fy) = force(x, y);
    let (px, py) = (px - 0.5 * h * fx, py - 0.5 * h * fy);
    let (x, y) = (x + h * px, y + h * py);
    let (fx, fy) = force(x, y);
    [x, y, px - 0.5 * h * fx, py - 0.5 * h * fy]
}

/// Strang's splitting of Lorenz's model of 1986 into its three parts: b = 3, ε = 1/100.
#[inline(always)]
pub(crate) fn lorenz([mut x1, mut x2, mut x3, mut x4, mut x5]: [f64; 5], h: f64) -> [f64; 5] {
    const B: f64 = 3.0;
    const EPSILON: f64 = 0.01;
    let turned = |x1: f64, x2: f64, angle: f64| {
        let (s, c) = angle.sin_cos();
        (c * x1 - s * x2, s * x1 + c * x2)
    };
    let half = 0.5 * h;
    x3 -= half * x1 * x2;
    x5 += half * B * x1 * x2;
    (x1, x2) = turned(x1, x2, half * x3);
    x5 += half * x4 / EPSILON;
    (x1, x2) = turned(x1, x2, -h * B * x5);
    x4 -= h * x5 / EPSILON;
    (x1, x2) = turned(x1, x2, half * x3);
    x5 += half * x4 / EPSILON;
    x3 -= half * x1 * x2;
    x5 += half * B * x1 * x2;
    [x1, x2, x3, x4, x5]
}
