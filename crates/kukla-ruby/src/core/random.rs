//! Random numbers, bit for bit those of Ruby.
//!
//! A seed makes the same numbers everywhere. A program that sets no seed gets one from the world, if the policy allows it.

use kukla_values::random::Random;
use kukla_world::record::Digest;
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::args::Args;
use crate::class::{ClassId, Native, NativeClass, method, private};
use crate::core::numeric::arithmetic;
use crate::core::numeric::tower::as_big;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{Object, Value};

/// The class `Random`.
pub const RANDOM: NativeClass =
    NativeClass { methods: &[METHODS], singleton: &[SINGLETON], ..NativeClass::class("Random", "Object") };

/// `rand` and `srand`, for `Kernel`.
pub const FUNCTIONS: &[Native] = &[
    private("rand", 0, 1, |ruby, _, args| with_default(ruby, |ruby, random| kernel_rand(ruby, random, args))),
    private("srand", 0, 1, |ruby, _, args| reseed(ruby, args)),
];

/// The same for `Kernel` itself.
pub const KERNEL_FUNCTIONS: &[Native] = &[
    method("rand", 0, 1, |ruby, _, args| with_default(ruby, |ruby, random| kernel_rand(ruby, random, args))),
    method("srand", 0, 1, |ruby, _, args| reseed(ruby, args)),
];

const METHODS: &[Native] = &[
    method("initialize", 0, 1, initialize),
    method("rand", 0, 1, |ruby, this, args| with(ruby, this, |ruby, random| rand(ruby, random, args))),
    method("random_number", 0, 1, |ruby, this, args| {
        with(ruby, this, |ruby, random| random_number(ruby, random, args))
    }),
    method("bytes", 1, 1, |ruby, this, args| with(ruby, this, |ruby, random| bytes(ruby, random, args))),
    method("seed", 0, 0, |_, this, _| Ok(seed_of(this))),
    method("==", 1, 1, |_, this, args| {
        let (Value::Object(a), Value::Object(b)) = (this, &args[0]) else { return Ok(false.into()) };
        let (Some(a), Some(b)) = (a.payload::<Generator>(), b.payload::<Generator>()) else {
            return Ok(false.into());
        };
        let (mut x, mut y) = (a.random.clone(), b.random.clone());
        Ok((a.seed == b.seed && (0..624).all(|_| x.next_u32() == y.next_u32())).into())
    }),
];

const SINGLETON: &[Native] = &[
    method("rand", 0, 1, |ruby, _, args| with_default(ruby, |ruby, random| rand(ruby, random, args))),
    method("random_number", 0, 1, |ruby, _, args| {
        with_default(ruby, |ruby, random| random_number(ruby, random, args))
    }),
    method("bytes", 1, 1, |ruby, _, args| with_default(ruby, |ruby, random| bytes(ruby, random, args))),
    method("urandom", 1, 1, |ruby, _, args| with_default(ruby, |ruby, random| bytes(ruby, random, args))),
    method("srand", 0, 1, |ruby, _, args| reseed(ruby, args)),
    method("seed", 0, 0, |ruby, _, _| {
        let generator = default(ruby)?;
        Ok(seed_of(&generator))
    }),
    method("new_seed", 0, 0, |ruby, _, _| Ok(Value::integer(fresh_seed(ruby)?))),
];

/// A generator and the seed it started from.
#[derive(Clone)]
struct Generator {
    random: Random,
    seed: BigInt,
}

impl Generator {
    fn new(seed: BigInt) -> Generator {
        let (_, words) = seed.to_u32_digits();
        Generator { random: Random::from_words(&words), seed }
    }
}

fn seed_of(generator: &Value) -> Value {
    let Value::Object(object) = generator else { return Value::Nil };
    object.payload::<Generator>().map_or(Value::Nil, |generator| Value::integer(generator.seed.clone()))
}

/// A seed that the program did not give.
fn fresh_seed(ruby: &mut Ruby<'_>) -> Result<BigInt> {
    ruby.allow_randomness()?;
    let Digest(seed) = ruby.host.world().seed();
    // As many bits as Ruby takes from the system.
    Ok(BigInt::from_bytes_le(Sign::Plus, &seed[..16]))
}

fn given_seed(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<BigInt> {
    match args.get(0) {
        Some(seed) => {
            let seed = ruby.to_integer(seed)?;
            Ok(as_big(&seed).unwrap_or_default())
        }
        None => fresh_seed(ruby),
    }
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let seed = given_seed(ruby, args)?;
    if let Value::Object(object) = this {
        object.set_payload(Generator::new(seed));
    }
    Ok(Value::Nil)
}

const DEFAULT: &str = "$ default random generator";

/// The generator behind `rand`: seeded by `srand`, otherwise by the world if the policy allows it.
fn default(ruby: &mut Ruby<'_>) -> Result {
    let name = ruby.symbols.intern(DEFAULT);
    if let Some(generator) = ruby.globals.get(&name) {
        return Ok(generator.clone());
    }
    let seed = fresh_seed(ruby)?;
    let generator = Value::Object(Object::with(ClassId::RANDOM, Generator::new(seed)));
    ruby.globals.insert(name, generator.clone());
    Ok(generator)
}

fn reseed(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result {
    let seed = given_seed(ruby, args)?;
    let name = ruby.symbols.intern(DEFAULT);
    let generator = Value::Object(Object::with(ClassId::RANDOM, Generator::new(seed)));
    let before = ruby.globals.insert(name, generator);
    Ok(before.map_or(Value::Int(0), |before| seed_of(&before)))
}

fn with_default(ruby: &mut Ruby<'_>, run: impl FnOnce(&mut Ruby<'_>, &mut Random) -> Result) -> Result {
    let generator = default(ruby)?;
    with(ruby, &generator, run)
}

/// Lets something draw from a generator. It works on a copy, as converting arguments may run Ruby code.
fn with(ruby: &mut Ruby<'_>, this: &Value, run: impl FnOnce(&mut Ruby<'_>, &mut Random) -> Result) -> Result {
    let Value::Object(object) = this else { return Err(ruby.type_error("uninitialized Random")) };
    let Some(mut random) = object.payload::<Generator>().map(|generator| generator.random.clone()) else {
        return Err(ruby.type_error("uninitialized Random"));
    };
    let result = run(ruby, &mut random);
    if let Some(mut generator) = object.payload_mut::<Generator>() {
        generator.random = random;
    }
    result
}

/// A number from 0 up to, but not including, a limit of any size.
fn below(random: &mut Random, limit: &BigInt) -> BigInt {
    if let Some(limit) = limit.to_u64() {
        return BigInt::from(random.below(limit));
    }
    let last: BigInt = limit - 1;
    let (_, words) = last.to_u32_digits();
    loop {
        let mut found = vec![0u32; words.len()];
        let (mut mask, mut tied, mut again) = (0u32, true, false);
        for at in (0..words.len()).rev() {
            let most = words[at];
            mask = if mask == 0 {
                if most == 0 { 0 } else { u32::MAX >> most.leading_zeros() }
            } else {
                u32::MAX
            };
            let value = if mask == 0 { 0 } else { random.next_u32() & mask };
            if tied && mask != 0 {
                if value > most {
                    again = true;
                    break;
                }
                tied = value == most;
            }
            found[at] = value;
        }
        if !again {
            return BigInt::from(num_bigint::BigUint::from_slice(&found));
        }
    }
}

/// A float from 0.0 up to, and with `inclusive` including, 1.0.
fn unit(random: &mut Random, inclusive: bool) -> f64 {
    if !inclusive {
        return random.float();
    }
    let (a, b) = (random.next_u32(), random.next_u32());
    let bits = (u64::from(a) << 32) | u64::from(b);
    // Sixty-four bits times the number of floats there are, without bias.
    let product = u128::from(bits) * ((1u128 << 53) + 1);
    (product >> 64) as f64 / 9_007_199_254_740_992.0
}

fn invalid(ruby: &mut Ruby<'_>, limit: &Value) -> Box<crate::error::Unwind> {
    match ruby.inspect(limit) {
        Ok(shown) => ruby.argument_error(format!("invalid argument - {}", shown.to_str_lossy())),
        Err(unwind) => unwind,
    }
}

/// `Kernel#rand`: the sign and fraction of the limit do not matter, and zero means one float.
fn kernel_rand(ruby: &mut Ruby<'_>, random: &mut Random, args: &Args<'_>) -> Result {
    match args.get(0) {
        None | Some(Value::Nil) => Ok(Value::Float(random.float())),
        Some(Value::Range(limits)) => {
            if let (Some(begin), Some(end)) = (as_big(&limits.begin), as_big(&limits.end))
                && !(end - begin + BigInt::from(u8::from(!limits.exclusive))).is_positive()
            {
                return Ok(Value::Nil);
            }
            range(ruby, random, &args[0])
        }
        Some(limit) => {
            let limit = ruby.to_integer(limit)?;
            let limit = as_big(&limit).unwrap_or_default().abs();
            if limit.is_zero() {
                return Ok(Value::Float(random.float()));
            }
            Ok(Value::integer(below(random, &limit)))
        }
    }
}

/// `Random#rand`
fn rand(ruby: &mut Ruby<'_>, random: &mut Random, args: &Args<'_>) -> Result {
    match args.get(0) {
        None => Ok(Value::Float(random.float())),
        Some(Value::Nil) => Err(ruby.argument_error("invalid argument - ")),
        Some(Value::Float(limit)) => {
            if limit.is_nan() || limit.is_infinite() {
                return Err(errno_domain(ruby));
            }
            if *limit <= 0.0 {
                return Err(invalid(ruby, &args[0]));
            }
            Ok(Value::Float(random.float() * limit))
        }
        Some(Value::Range(_)) => range(ruby, random, &args[0]),
        Some(limit) => {
            let number = ruby.to_integer(limit)?;
            let number = as_big(&number).unwrap_or_default();
            if !number.is_positive() {
                return Err(invalid(ruby, limit));
            }
            Ok(Value::integer(below(random, &number)))
        }
    }
}

fn random_number(ruby: &mut Ruby<'_>, random: &mut Random, args: &Args<'_>) -> Result {
    match args.get(0) {
        None | Some(Value::Nil) => Ok(Value::Float(random.float())),
        Some(Value::Float(limit)) if *limit <= 0.0 => Ok(Value::Float(random.float())),
        Some(Value::Int(limit)) if *limit <= 0 => Ok(Value::Float(random.float())),
        Some(_) => rand(ruby, random, args),
    }
}

fn errno_domain(ruby: &mut Ruby<'_>) -> Box<crate::error::Unwind> {
    ruby.errno("EDOM", "Numerical argument out of domain")
}

/// A number between the ends of a range.
fn range(ruby: &mut Ruby<'_>, random: &mut Random, limits: &Value) -> Result {
    let Value::Range(range) = limits else { return Err(invalid(ruby, limits)) };
    let (begin, end, exclusive) = (range.begin.clone(), range.end.clone(), range.exclusive);
    if begin.is_nil() || end.is_nil() {
        return Err(errno_domain(ruby));
    }
    if let (Some(begin), Some(end)) = (as_big(&begin), as_big(&end)) {
        let count = end - &begin + BigInt::from(u8::from(!exclusive));
        if !count.is_positive() {
            return Err(invalid(ruby, limits));
        }
        let drawn = if count.is_one() { BigInt::zero() } else { below(random, &count) };
        return Ok(Value::integer(begin + drawn));
    }
    let Some(span) = ruby.try_send(&end, sym::MINUS, std::slice::from_ref(&begin))? else {
        return Err(ruby.no_conversion(limits, "Integer"));
    };
    if let Value::Float(width) = span {
        if !width.is_finite() {
            return Err(errno_domain(ruby));
        }
        if width < 0.0 || (exclusive && width == 0.0) {
            return Err(invalid(ruby, limits));
        }
        let drawn = unit(random, !exclusive) * width;
        return arithmetic::add(ruby, &begin, &Value::Float(drawn));
    }
    let span = ruby.to_integer(&span)?;
    let count = as_big(&span).unwrap_or_default() + BigInt::from(u8::from(!exclusive));
    if !count.is_positive() {
        return Err(invalid(ruby, limits));
    }
    let drawn = Value::integer(below(random, &count));
    ruby.send(&begin, sym::PLUS, &[drawn])
}

fn bytes(ruby: &mut Ruby<'_>, random: &mut Random, args: &Args<'_>) -> Result {
    let count = ruby.to_int(&args[0])?;
    let Ok(count) = usize::try_from(count) else {
        return Err(ruby.argument_error("negative string size (or size too big)"));
    };
    ruby.charge(count as u64 / 8)?;
    ruby.grown(count)?;
    let mut drawn = Vec::with_capacity(count.min(1 << 20));
    while drawn.len() < count {
        drawn.extend_from_slice(&random.next_u32().to_le_bytes());
    }
    drawn.truncate(count);
    Ok(Value::str(Text::binary(drawn)))
}

impl Ruby<'_> {
    /// A number from 0 up to, but not including, a limit, drawn from the generator given or else the one behind `rand`; as `shuffle` and
    /// `sample` do it.
    pub fn random_below(&mut self, generator: Option<&Value>, limit: u64) -> Result<u64> {
        if let Some(generator) = generator
            && !matches!(generator, Value::Object(object) if object.payload::<Generator>().is_some())
            && !matches!(generator, Value::Class(ClassId::RANDOM))
        {
            let rand = self.symbols.intern("rand");
            let drawn = self.send(generator, rand, &[Value::Int(limit as i64)])?;
            let drawn = self.to_int(&drawn)?;
            return match u64::try_from(drawn) {
                Ok(drawn) if drawn < limit => Ok(drawn),
                Ok(_) => Err(self.range_error(format!("random number too big {drawn}"))),
                Err(_) => Err(self.range_error(format!("random number too small {drawn}"))),
            };
        }
        let generator = match generator {
            Some(generator @ Value::Object(_)) => generator.clone(),
            _ => default(self)?,
        };
        let drawn = with(self, &generator, |_, random| Ok(Value::Int(random.below(limit) as i64)))?;
        Ok(self.to_int(&drawn)? as u64)
    }
}
