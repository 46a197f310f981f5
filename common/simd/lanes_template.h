/* A vector type and its operations, as lanes.h describes them. Included there for each type with
 * these set:
 *
 *   LANES, SCALAR, COUNT     its name, the type of a lane, and their number
 *   HALF                     a type of half as many lanes, of which it has two;
 *
 *   or VECTOR, VECTOR_(op)   its one register, and the intrinsics for it,
 *   COMPARE(a, b, lt), MASK  comparison (lt or eq) into an integer with a bit per lane or,
 *   VECTOR_OF_BITS           without MASK, into a register, and the conversion from bits,
 *   NO_BLEND                 set where the processor has no instruction that selects lanes;
 *
 * or none of these: it is an array, whose lanes are x and y here. */

#define LANES_(name) SIMD_PASTE(LANES, name)
#define HALF_(name)  SIMD_PASTE(HALF, name)
#define LANES_MASK   LANES_(mask)

#ifdef HALF

struct LANES {
    struct HALF low, high;
};

struct LANES_MASK {
    struct HALF_(mask) low, high;
};

#define UNARY(name, vector, lane)                                                                  \
    static inline struct LANES LANES_(name)(struct LANES a)                                        \
    {                                                                                              \
        return (struct LANES){HALF_(name)(a.low), HALF_(name)(a.high)};                            \
    }
#define BINARY_OF(type, result, name)                                                              \
    static inline struct result LANES_(name)(struct type a, struct type b)                         \
    {                                                                                              \
        return (struct result){HALF_(name)(a.low, b.low), HALF_(name)(a.high, b.high)};            \
    }
#define BINARY(name, vector, lane) BINARY_OF(LANES, LANES, name)
#define RELATION(name, how, lane)  BINARY_OF(LANES, LANES_MASK, name)
#define OF_MASKS(name, vector, of) BINARY_OF(LANES_MASK, LANES_MASK, name)

static inline struct LANES LANES_(load)(const SCALAR *at)
{
    return (struct LANES){HALF_(load)(at), HALF_(load)(at + COUNT / 2)};
}

static inline void LANES_(store)(SCALAR *at, struct LANES a)
{
    HALF_(store)(at, a.low);
    HALF_(store)(at + COUNT / 2, a.high);
}

static inline struct LANES LANES_(all)(SCALAR value)
{
    return (struct LANES){HALF_(all)(value), HALF_(all)(value)};
}

static inline lane_bits LANES_(bits)(struct LANES_MASK mask)
{
    return HALF_(bits)(mask.low) | HALF_(bits)(mask.high) << COUNT / 2;
}

static inline struct LANES_MASK LANES_(mask_of)(lane_bits bits)
{
    return (struct LANES_MASK){HALF_(mask_of)(bits), HALF_(mask_of)(bits >> COUNT / 2)};
}

static inline struct LANES LANES_(select)(struct LANES_MASK mask, struct LANES yes, struct LANES no)
{
    return (struct LANES){HALF_(select)(mask.low, yes.low, no.low),
                          HALF_(select)(mask.high, yes.high, no.high)};
}

#elif defined(VECTOR)

struct LANES {
    VECTOR v;
};

#define UNARY(name, vector, lane)                                                                  \
    static inline struct LANES LANES_(name)(struct LANES a)                                        \
    {                                                                                              \
        return (struct LANES){vector(a.v)};                                                        \
    }
#define BINARY(name, vector, lane)                                                                 \
    static inline struct LANES LANES_(name)(struct LANES a, struct LANES b)                        \
    {                                                                                              \
        return (struct LANES){vector(a.v, b.v)};                                                   \
    }
#define RELATION(name, how, lane)                                                                  \
    static inline struct LANES_MASK LANES_(name)(struct LANES a, struct LANES b)                   \
    {                                                                                              \
        return (struct LANES_MASK){COMPARE(a.v, b.v, how)};                                        \
    }

static inline struct LANES LANES_(load)(const SCALAR *at)
{
    return (struct LANES){VECTOR_(loadu)(at)};
}

static inline void LANES_(store)(SCALAR *at, struct LANES a)
{
    VECTOR_(storeu)(at, a.v);
}

static inline struct LANES LANES_(all)(SCALAR value)
{
    return (struct LANES){VECTOR_(set1)(value)};
}

#ifdef MASK

struct LANES_MASK {
    MASK m;
};

static inline struct LANES LANES_(select)(struct LANES_MASK mask, struct LANES yes, struct LANES no)
{
    return (struct LANES){VECTOR_(mask_blend)(mask.m, no.v, yes.v)};
}

#else

struct LANES_MASK {
    VECTOR m;
};

#define OF_MASKS(name, vector, of)                                                                 \
    static inline struct LANES_MASK LANES_(name)(struct LANES_MASK a, struct LANES_MASK b)         \
    {                                                                                              \
        return (struct LANES_MASK){vector(a.m, b.m)};                                              \
    }

static inline lane_bits LANES_(bits)(struct LANES_MASK mask)
{
    return (lane_bits)VECTOR_(movemask)(mask.m);
}

static inline struct LANES_MASK LANES_(mask_of)(lane_bits bits)
{
    return (struct LANES_MASK){VECTOR_OF_BITS(bits)};
}

static inline struct LANES LANES_(select)(struct LANES_MASK mask, struct LANES yes, struct LANES no)
{
#ifdef NO_BLEND
    return (struct LANES){VECTOR_(or)(VECTOR_(and)(mask.m, yes.v), VECTOR_(andnot)(mask.m, no.v))};
#else
    return (struct LANES){VECTOR_(blendv)(no.v, yes.v, mask.m)};
#endif
}

#endif

#else

#define MASK lane_bits

struct LANES {
    SCALAR v[COUNT];
};

struct LANES_MASK {
    MASK m;
};

#define UNARY(name, vector, lane)                                                                  \
    static inline struct LANES LANES_(name)(struct LANES a)                                        \
    {                                                                                              \
        for (int i = 0; i < COUNT; i++) {                                                          \
            const SCALAR x = a.v[i];                                                               \
            a.v[i] = (lane);                                                                       \
        }                                                                                          \
        return a;                                                                                  \
    }
#define BINARY(name, vector, lane)                                                                 \
    static inline struct LANES LANES_(name)(struct LANES a, struct LANES b)                        \
    {                                                                                              \
        for (int i = 0; i < COUNT; i++) {                                                          \
            const SCALAR x = a.v[i], y = b.v[i];                                                   \
            a.v[i] = (lane);                                                                       \
        }                                                                                          \
        return a;                                                                                  \
    }
#define RELATION(name, how, lane)                                                                  \
    static inline struct LANES_MASK LANES_(name)(struct LANES a, struct LANES b)                   \
    {                                                                                              \
        lane_bits bits = 0;                                                                        \
        for (int i = 0; i < COUNT; i++) {                                                          \
            const SCALAR x = a.v[i], y = b.v[i];                                                   \
            bits |= (lane_bits)(lane) << i;                                                        \
        }                                                                                          \
        return (struct LANES_MASK){bits};                                                          \
    }

static inline struct LANES LANES_(load)(const SCALAR *at)
{
    struct LANES a;
    for (int i = 0; i < COUNT; i++)
        a.v[i] = at[i];
    return a;
}

static inline void LANES_(store)(SCALAR *at, struct LANES a)
{
    for (int i = 0; i < COUNT; i++)
        at[i] = a.v[i];
}

static inline struct LANES LANES_(all)(SCALAR value)
{
    struct LANES a;
    for (int i = 0; i < COUNT; i++)
        a.v[i] = value;
    return a;
}

static inline struct LANES LANES_(select)(struct LANES_MASK mask, struct LANES yes, struct LANES no)
{
    for (int i = 0; i < COUNT; i++)
        no.v[i] = mask.m >> i & 1 ? yes.v[i] : no.v[i];
    return no;
}

#endif

#ifdef MASK

#define OF_MASKS(name, vector, of)                                                                 \
    static inline struct LANES_MASK LANES_(name)(struct LANES_MASK a, struct LANES_MASK b)         \
    {                                                                                              \
        return (struct LANES_MASK){(MASK)(of)};                                                    \
    }

static inline lane_bits LANES_(bits)(struct LANES_MASK mask)
{
    return mask.m;
}

static inline struct LANES_MASK LANES_(mask_of)(lane_bits bits)
{
    return (struct LANES_MASK){(MASK)bits};
}

#endif

#define VECTOR_ABS(a)        VECTOR_(andnot)(VECTOR_(set1)(-(SCALAR)0), a)
#define VECTOR_WITHOUT(a, b) VECTOR_(andnot)(b, a)

BINARY(add, VECTOR_(add), x + y)
BINARY(sub, VECTOR_(sub), x - y)
BINARY(mul, VECTOR_(mul), (x * y))
BINARY(div, VECTOR_(div), x / y)
BINARY(min, VECTOR_(min), x < y ? x : y)
BINARY(max, VECTOR_(max), x > y ? x : y)
UNARY(sqrt, VECTOR_(sqrt), (SCALAR)sqrt((double)x))
UNARY(abs, VECTOR_ABS, (SCALAR)fabs((double)x))
RELATION(less, lt, x < y)
RELATION(equal, eq, x == y)
OF_MASKS(and, VECTOR_(and), a.m & b.m)
OF_MASKS(or, VECTOR_(or), a.m | b.m)
OF_MASKS(without, VECTOR_WITHOUT, a.m & ~b.m)

static inline struct LANES_MASK LANES_(none)(void)
{
    return LANES_(mask_of)(0);
}

static inline lane_bits LANES_(less_bits)(struct LANES a, struct LANES b)
{
    return LANES_(bits)(LANES_(less)(a, b));
}

static inline lane_bits LANES_(equal_bits)(struct LANES a, struct LANES b)
{
    return LANES_(bits)(LANES_(equal)(a, b));
}

static inline struct LANES LANES_(select_bits)(lane_bits mask, struct LANES yes, struct LANES no)
{
    return LANES_(select)(LANES_(mask_of)(mask), yes, no);
}

/* x * a + y * b + z * c, in the order of vec3_dot. */
static inline struct LANES LANES_(dot)(struct LANES x, struct LANES y, struct LANES z,
                                       struct LANES a, struct LANES b, struct LANES c)
{
    return LANES_(add)(LANES_(add)(LANES_(mul)(x, a), LANES_(mul)(y, b)), LANES_(mul)(z, c));
}

#undef LANES
#undef SCALAR
#undef COUNT
#undef HALF
#undef VECTOR
#undef VECTOR_
#undef VECTOR_OF_BITS
#undef VECTOR_ABS
#undef VECTOR_WITHOUT
#undef COMPARE
#undef NO_BLEND
#undef MASK
#undef LANES_
#undef HALF_
#undef LANES_MASK
#undef UNARY
#undef BINARY
#undef BINARY_OF
#undef RELATION
#undef OF_MASKS
