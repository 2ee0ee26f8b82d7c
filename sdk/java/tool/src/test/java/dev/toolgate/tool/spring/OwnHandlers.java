package dev.toolgate.tool.spring;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** An application that handles every exception itself. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class OwnHandlers {
    @Bean
    Tools.Told told() {
        return new Tools.Told();
    }

    @RestControllerAdvice
    static class Everything {
        @ExceptionHandler
        String handle(Exception thrown) {
            return "own";
        }
    }
}
