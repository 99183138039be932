//! Logarithm, exponential and power without the C library's: one shared library less to load, which is a tenth of what a
//! silent hook costs, and the same bits on every machine.

/// The natural logarithm of 2 in two parts, the first with 32 zero bits at its end, so that its multiples by an exponent are
/// exact (as in fdlibm's `e_log.c`, FreeBSD).
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 2^52: brings a subnormal number into the range of the others.
const UP: f64 = 4_503_599_627_370_496.0;

/// The natural logarithm, within 2 units of the last place. Minus infinity of 0, NaN below.
#[must_use]
pub fn ln(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 || x.is_infinite() {
        return if x == 0.0 { f64::NEG_INFINITY } else { x };
    }
    let (x, below) = if x < f64::MIN_POSITIVE { (x * UP, 52) } else { (x, 0) };
    let bits = x.to_bits();
    // x = m * 2^e with m from 0.707 to 1.414.
    let mut e = ((bits >> 52) & 0x7ff) as i64 - 1023 - below;
    let mut m = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    if m > std::f64::consts::SQRT_2 {
        m /= 2.0;
        e += 1;
    }
    // ln m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...); s is at most 0.172, so eleven terms are enough.
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let square = s * s;
    let series = (1..12).rev().fold(0.0, |sum, k| square * (1.0 / f64::from(2 * k + 1) + sum));
    let e = e as f64;
    // The rest beside f itself, which is exact.
    e * LN2_HIGH + (f - (s * (f - 2.0 * series) - e * LN2_LOW))
}

/// The exponential, within 2 units of the last place.
#[must_use]
pub fn exp(x: f64) -> f64 {
    if x.is_nan() || x > 709.79 {
        return if x.is_nan() { x } else { f64::INFINITY };
    }
    if x < -745.2 {
        return 0.0;
    }
    // x = k ln 2 + r with r from -0.347 to 0.347; its series needs fourteen terms.
    let k = (x * std::f64::consts::LOG2_E + if x < 0.0 { -0.5 } else { 0.5 }) as i64;
    let r = (x - k as f64 * LN2_HIGH) - k as f64 * LN2_LOW;
    let series = (2..15).rev().fold(1.0, |sum, n| 1.0 + r * sum / f64::from(n));
    let m = 1.0 + r * series;
    // In two steps, since 2^k itself may be no normal number.
    let two_to = |k: i64| f64::from_bits(((1023 + k) as u64) << 52);
    m * two_to(k / 2) * two_to(k - k / 2)
}

/// `x` to the power of `y`, for `x` from 0 up; NaN for negative `x`. Its relative error grows with `y ln x`: a few units of
/// the last place per unit of that.
#[must_use]
pub fn pow(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    exp(y * ln(x))
}

#[cfg(test)]
mod tests {
    use super::{exp, ln, pow};

    /// How many numbers lie between two of the same sign.
    fn apart(a: f64, b: f64) -> u64 {
        if a == b || a.is_nan() && b.is_nan() { 0 } else { a.to_bits().abs_diff(b.to_bits()) }
    }

    /// Numbers of every magnitude, and near 1.
    fn samples() -> impl Iterator<Item = f64> {
        let mut state = 88_172_645_463_325_252_u64;
        (0..200_000).map(move |n| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let mantissa = f64::from_bits(state >> 12 | 0x3ff0_0000_0000_0000);
            match n % 4 {
                0 => f64::from_bits(state >> 1),
                1 => mantissa,
                2 => mantissa / 2.0,
                _ => mantissa * (state % 1_000) as f64,
            }
        })
    }

    #[test]
    fn logarithms_are_those_of_the_system() {
        for x in samples() {
            assert!(apart(ln(x), x.ln()) <= 2, "{x:e}: {:e} {:e}", ln(x), x.ln());
        }
        for x in [0.0, -0.0, -1.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324, f64::MAX, 1.0, 2.0, 1.0 + f64::EPSILON] {
            assert!(apart(ln(x), x.ln()) <= 2, "{x:e}: {:e} {:e}", ln(x), x.ln());
        }
    }

    #[test]
    fn exponentials_are_those_of_the_system() {
        for x in samples().map(|x| if x.is_finite() { x % 760.0 } else { x }).flat_map(|x| [x, -x]) {
            let (ours, theirs) = (exp(x), x.exp());
            // The last of the subnormal numbers have too few digits to be near.
            assert!(apart(ours, theirs) <= 2 || theirs < 1e-300 && (ours - theirs).abs() < 1e-320, "{x:e}: {ours:e} {theirs:e}");
        }
        assert_eq!((exp(0.0), exp(f64::INFINITY), exp(f64::NEG_INFINITY)), (1.0, f64::INFINITY, 0.0));
        assert!(exp(f64::NAN).is_nan());
    }

    #[test]
    fn powers_are_near_those_of_the_system() {
        for x in samples().filter(|x| *x > 1e-9 && *x < 1e9) {
            for y in [-2.0, -0.5, 0.0, 0.3, 1.0, 3.5] {
                let (ours, theirs) = (pow(x, y), x.powf(y));
                assert!((ours - theirs).abs() <= theirs.abs() * 1e-13, "{x:e} ^ {y}: {ours:e} {theirs:e}");
            }
        }
        assert_eq!((pow(0.0, 2.0), pow(0.0, -1.0)), (0.0, f64::INFINITY));
    }
}
