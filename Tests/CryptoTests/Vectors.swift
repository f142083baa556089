/// Keys and signatures made once with pyca/cryptography over `message`; base64url.
enum Vectors {
    static let message = Array("transferd signature vector".utf8)
    static let exponent = "AQAB"
    static let rsaModulus =
        "3DaWjdR0Xat8GfGj9M0RNGCJ9EgWlcagwpo9y7rS58PA9euf0XOIRql_bqsdQw-CXBI-pZO6yJQ2elIl"
        + "6CgV1OhEt1WGAy-yZj-iABbptVtho-5FrZNr0BgthxQDqVgAYiTPwPtlnk9My4AQqu8PWFm0esK9r8Tw"
        + "ZTERvrRg8bvXq0e121v5qgjnp-CvBNk0oo963sP7Kp3N0NjTp8rXvVSmUSPD11mdnuvQtVVoSzFq2qqE"
        + "Fibj5efdcHkkzlQa9uTRFo29U1P1KROO-mveZTPtHh3hg83a9EFT3sDCqsfGZs-nm-AvypHd0JO6d7U4"
        + "OOIjgsNwQe12QXrsTHqaAQ"
    static let rs256 =
        "trdYT9BVR9CY4ZJQ8YKTxis9tPhNbq4dto3do6j2cvJ2As9xxLPFgDTFna_8WgzzDcjLmBtgCZDU_uMz"
        + "dqQvu7neDxO2yWz3bpjcEnLfTrknlZqfD7butVGAN7h4W71Mkaccig3YTZ-xSCjXmz03eiDagQ4j5bin"
        + "cLtfbpOulDRkUM_YA_RRHKV6CzB_8lhH3jambGuyAEnD6Wo68brXpSnPwnqwX4QvtYLjtOZo3Z_mnbHb"
        + "ZcGSeeHQhaX6xabKNy_hwAHcZKFwXULMxwBkhoff8fLtE4o4XRJWuM-FMVEItAQJz8fAeQmw91pLfwho"
        + "n0WCbKIjSLxoK5wT8LVvhQ"
    static let ps256 =
        "gEPAuWkmjoQPVZE7tzEjjuo4I1wvaW4QR5e9hNEtE8CP2fuFnFChBG81rUs0kvQ7kwbnluezu_1K7tBI"
        + "mETyE9LlYC1Qf-5ScHe1_HFtBZAJ7r5ZEn9NTDZKKY08NkWelwLjcMZ5SESAwZ4vVl8IaSS87WDf1yJ5"
        + "q-UPzjHMuLl0fO7O2p-u5b97n6g6lDSjtEbU7HTkTz0dbHaZwTOQPNzexEkZg4gVBSPUaKrV6F07xQke"
        + "IRXsRx5xlPso3a22hIEZoZmektvB0q9JrXff0RMRiePRNF_bdhjpCwgWl7RpwSAobusmQy-CH1tolztf"
        + "n2ta10NXWFx2mQjvx-XoqQ"
    static let ps256WithSaltOf20 =
        "Pcew011ibUi8I47ZRyOQXeK5B-nQ5pVYdd-m3ZV_8XF-REDTJqV4qz7h6y8fkEKuZxRvQJPWlFmLIxpD"
        + "k-Eu_FPrsP2b0x1l3h-5hUQ9BZAWYkorvTKey6RTzTCvBlwQqy8CgxqPHpq8MLbe5hg9jC8KLyKPST6C"
        + "yHOUzIEf7Xw-7aiS0yB2nOjILgxocfCwZSx-LMBieZ1kOBVU_UNHFxS8ich0Yk7TNvE2ahVQ8xJ4cTAD"
        + "YT5nd6xToCt6YcVEZxCBKizXpuKAnaP7BlCPdx39lvSGfraMTZ6fQvRq6B4XGb-Y-j0LMWLHdNEE8_eX"
        + "yhF_iN2w8eQMs6QMfN5QkA"
    static let rs512 =
        "jqQzH81mVwimg5KoIiryMyMFbwE3NA0MuT2NO1qWz9A3yqxA3zZZisAV2SnM0K_XdDTM6vn3uJP5sn3S"
        + "8VuZiOS-DNr8JCYV5WeTVUU4THdt2-Pke4ZqFprdoconfKhKZkLKBGPqMoZkqOdBPNp3N5mb87SYInnw"
        + "bJr0HoNMhDHc7ybNC3ws3PghG9Bnmg8hxi3jp-_nUYLwR9xJR3191Imo_65rErgzFVAWDTopeXpWeR4z"
        + "dWczw5-IXcphG2ZsqVHQzpJPyXYoKlH8xQVcZN3vta-Odqdr-IY3cZhBKHowT6XDy3R5nyUXKnD_UUa2"
        + "NjNebTlTxrhc7GDnY9tLmg"
    static let shortModulus =
        "uKXzda_38VHJu9J3rE_EkNGAmErCK4hn5We98gEGXff4H5mwVTBIUpRkUnWd_7NTe7Q2M_A2RUHRLyle"
        + "I1_4Y5eIbsQqHLzkE2J92XfFquPr-ndqpF7frRx_LmLP3yYFkPHgYwloa3mXiZspX3GYTof77f0owIR3"
        + "0dgDIDeli_0"
    static let p256X =
        "DbkCvWCFdPcpchQPrGRbt8pTOKMkjOWwnb5BfgsgPFs"
    static let p256Y =
        "kWxZulQGGRZQmRtit3SoaMi83nNluFpC-eNMP1CnFHg"
    static let es256 =
        "i0hVw-LoAI4oNfPXde0V7NI4xwymXYTKRS4mGSISEITGby5RlcRV8xtnzGzXnR4eqWp82YWFxpy0kf5s"
        + "UsX3oA"
    static let es256WithShortR =
        "AO8k-Ag3EH3I-3k0JAJX6AFTVPp5yKbRtpYB2xa6EdlrPfM4R7X3RBbQcx8J1VH-cDM_P_dpqCgtc5Fa"
        + "B5JnbA"
    static let es256WithShortS =
        "gNR0DM901hrIpCI6Ib6uP-btD08-9Hrj5yf3oUpNTlAAtlUFZFqwWd29EOFpp67lVmDb0ao3ckkeV103"
        + "fNxO3Q"
    static let ed25519 =
        "6uGfshV-boNMtrYm7vW_rW9HHr5XSzTPhQJUBxeLaaY"
    static let edDSA =
        "hGmqIiwWZleb4HkC7JSL4eVf9ai7kU7zZzTNHPEuwaLl2v6-16glhYBDBvXRjS2LYcviDJnXP1wrYE_G"
        + "IQGwBA"
}
